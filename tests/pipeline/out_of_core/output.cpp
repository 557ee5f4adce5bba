// SPDX-License-Identifier: BSL-1.0
#include <halograph/core/communicator.hpp>
#include <halograph/pipeline/out_of_core/output.hpp>
#include <halograph/serial/digest.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <fstream>
#include <span>
#include <string>

namespace hg = halograph;

namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// Write one file of a part, and then change it where the program does not look again.
hg::manifest_entry write_and_spoil(hg::detail::staged_output& out, const std::string& name,
                                   bool in_order) {
  const std::string first(70'000, 'a'), second(30'001, 'b');
  auto sink = out.create_part_file(name, first.size() + second.size());
  if (in_order) sink.require(sink.write_at(0, bytes_of(first)));
  sink.require(sink.write_at(first.size(), bytes_of(second)));
  if (!in_order) sink.require(sink.write_at(0, bytes_of(first)));
  sink.sync();
  sink.close();
  std::ofstream(out.path() + "/" + name, std::ios::binary) << "x";
  return out.entry_of_part_file(name);
}

TEST(staged_output, reads_no_file_back_that_was_written_from_front_to_back) {
  const hg::testing::temporary_folder place;
  hg::detail::staged_output out({}, place("out"), false);
  out.open(hg::leftovers::remove);
  const std::string whole = std::string(70'000, 'a') + std::string(30'001, 'b'), spoilt = "x";
  EXPECT_EQ(write_and_spoil(out, "part0/graph.dgl", true),
            (hg::manifest_entry{hg::digest_of(bytes_of(whole)), whole.size(), "part0/graph.dgl"}));
  EXPECT_EQ(write_and_spoil(out, "part1/graph.dgl", false),
            (hg::manifest_entry{hg::digest_of(bytes_of(spoilt)), 1, "part1/graph.dgl"}));
}

}  // namespace

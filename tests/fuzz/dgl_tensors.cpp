// SPDX-License-Identifier: BSL-1.0
// Any bytes as DGL's tensor dictionary. Refused, or tensors that survive writing; what the second
// reader reads is what the strict one does.
#include "support/against_second_reader.hpp"
#include "support/second_reader.hpp"

#include <halograph/serial/dgl/tensors.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace hg = halograph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const hg::file_bytes file{std::as_bytes(std::span(data, size)), nullptr};
  std::optional<std::vector<hg::named_tensor>> strictly;
  for (const auto how : {hg::dgl::strictness::strict, hg::dgl::strictness::lenient}) {
    try {
      const auto found = hg::dgl::read_tensors(file, "fuzz", how);
      hg::memory_sink sink;
      hg::dgl::write_tensors(sink, found);
      if (hg::dgl::read_tensors({sink.bytes(), nullptr}, "again").size() != found.size())
        std::abort();
      if (how == hg::dgl::strictness::strict) strictly = found;
    } catch (const hg::error& problem) {
      // What was read is legal to write.
      if (problem.where().file != "fuzz") std::abort();
    }
  }
  try {
    const auto second = second_reader::read_tensors({reinterpret_cast<const char*>(data), size});
    if (!strictly || !second_reader::difference(*strictly, second).empty()) std::abort();
  } catch (const std::runtime_error& doubt) {
    if (strictly && !second_reader::is_of_no_account(doubt)) std::abort();
  }
  return 0;
}

// SPDX-License-Identifier: BSL-1.0
/// @file output.ipp
/// Bodies of the plain functions of pipeline/out_of_core/output.hpp.
/// Layer: pipeline. Words: README.md.
#pragma once

#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/error.hpp>
#include <halograph/pipeline/out_of_core/output.hpp>
#include <halograph/serial/files/checkpoint.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/files/staged_sink.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void staged_output::open(leftovers earlier) {
  run_collective(ranks_, [&] {
    if (ranks_.rank() == 0 || own_folders_) open_folder(earlier);
  });
  staging_ = folder_ ? folder_->path() : std::string();
  if (several() && !own_folders_) broadcast_text(ranks_, staging_, 0);
  scratch_ = staging_ + "/scratch";
  if (several()) scratch_ += concat({"/rank", ranks_.rank()});
}

HALOGRAPH_INLINE staged_sink staged_output::create_part_file(const std::string& name,
                                                             std::uint64_t bytes) {
  if (folder_)
    folder_->add(name);
  else
    make_folder(concat({staging_, "/", name.substr(0, name.rfind('/'))}));
  return staged_sink(file_sink::create(concat({staging_, "/", name}), bytes), name, digested_);
}

HALOGRAPH_INLINE manifest_entry staged_output::entry_of_part_file(const std::string& name) {
  if (auto known = take_note(*digested_, name)) return std::move(*known);
  return digest_file(concat({staging_, "/", name}), name);
}

HALOGRAPH_INLINE void staged_output::write_text(const std::string& name, std::string_view text) {
  auto sink = folder_->create(name, text.size());
  sink.require(sink.write_at(0, std::as_bytes(std::span(text.data(), text.size()))));
  sink.sync();
  sink.close();
}

HALOGRAPH_INLINE void staged_output::collect_entries() {
  if (!several() || own_folders_) return;
  std::vector<std::string> lines(ranks_.size());  // of each rank: one line for each file
  for (std::size_t r = 1; r < ranks_.size(); ++r) {
    if (r == ranks_.rank()) {
      for (const auto& file : written_)
        lines[r] += concat({hexadecimal(file.digest), " ", file.bytes, " ", file.path, "\n"});
    }
    broadcast_text(ranks_, lines[r], r);
    if (ranks_.rank() != 0) lines[r].clear();
  }
  run_collective(ranks_, [&] {
    if (ranks_.rank() != 0) return;
    for (const auto& text : lines) {
      for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
        end = text.find('\n', at);
        add_entry(std::string_view(text).substr(at, end - at));
      }
    }
  });
}

HALOGRAPH_INLINE void staged_output::add_entry(std::string_view line) {
  const auto first = line.find(' '), second = line.find(' ', first + 1);
  manifest_entry file;
  if (!parse_whole(line.substr(0, first), file.digest, 16) ||
      !parse_whole(line.substr(first + 1, second - first - 1), file.bytes)) {
    raise(error_kind::internal, "a rank sent a malformed list of its files");
  }
  file.path = std::string(line.substr(second + 1));
  folder_->add(file.path);
  folder_->know(file);
}

}  // namespace halograph::detail

// SPDX-License-Identifier: BSL-1.0
// Any bytes as a native part file, its size and digest repaired so that the checks behind them are
// reached. Refused, or arrays within the file whose structure can be checked.
#include <halograph/serial/native.hpp>
#include <halograph/serial/structure.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace hg = halograph;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = std::as_bytes(std::span(data, size));
  std::vector<std::byte> file(input.begin(), input.end());
  const auto read = [&] {
    const hg::file_bytes bytes{file, nullptr};
    const auto inside = [&](const hg::tensor& one) {
      const auto all = one.bytes();
      if (!all.empty() &&
          (all.data() < file.data() || all.data() + all.size() > file.data() + file.size()))
        std::abort();
    };
    try {
      for (const auto& one : hg::native_serializer{}.read_features(bytes, "fuzz"))
        inside(one.value);
    } catch (const hg::error&) {
    }
    try {
      const auto part = hg::native_serializer{}.read_structure(bytes, "fuzz");
      for (const auto& one : part.node_columns) inside(one.value);
      static_cast<void>(hg::check_structure(part));
    } catch (const hg::error&) {
    }
  };
  read();
  if (size < 64) return 0;
  hg::store_le(static_cast<std::uint64_t>(size), file.data() + 16);
  if (const auto table = hg::load_le<std::uint64_t>(file.data() + 24);
      table >= 64 && table <= size) {
    hg::store_le(
        hg::native::detail::digest_of(std::span(file).first(static_cast<std::size_t>(table))),
        file.data() + 56);
  }
  read();
  return 0;
}

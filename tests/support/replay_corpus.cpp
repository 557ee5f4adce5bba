// SPDX-License-Identifier: BSL-1.0
// main() for the harnesses of tests/fuzz without libFuzzer: runs them on every file of the given
// folders (sorted), on the empty input, and on each file truncated at a few places.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  std::size_t files = 0;
  LLVMFuzzerTestOneInput(nullptr, 0);
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) continue;
    std::vector<std::filesystem::path> names;
    for (const auto& entry : std::filesystem::directory_iterator(argv[i]))
      names.push_back(entry.path());
    std::sort(names.begin(), names.end());
    for (const auto& name : names) {
      std::ifstream in(name, std::ios::binary);
      const std::string text((std::istreambuf_iterator<char>(in)),
                             std::istreambuf_iterator<char>());
      // A copy of the exact size, so that a sanitizer finds reads past its end.
      for (const std::size_t size :
           {text.size(), text.size() / 2, text.size() - std::min<std::size_t>(1, text.size())}) {
        const std::vector<std::uint8_t> exact(text.begin(),
                                              text.begin() + static_cast<std::ptrdiff_t>(size));
        LLVMFuzzerTestOneInput(exact.data(), exact.size());
      }
      ++files;
    }
  }
  std::printf("%zu files replayed\n", files);
  return files == 0 ? 1 : 0;
}

// SPDX-License-Identifier: BSL-1.0
// For the harnesses of tests/fuzz with libFuzzer: besides its own mutations, which know bytes
// alone, ones that keep an input mostly valid. Numbers become hostile counts, as decimal digits or
// as words of 1 to 8 bytes; fields, lines and blocks are removed, repeated or swapped.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using source = std::minstd_rand;

std::size_t below(source& random, std::size_t bound) { return random() % bound; }

/// A place of the text and its length.
struct piece {
  std::size_t at, size;
};

/// What an implementation may stumble over, `size` and its neighbors included.
std::uint64_t hostile_count(source& random, std::uint64_t now, std::uint64_t size) {
  const std::uint64_t values[] = {0,
                                  1,
                                  now + 1,
                                  now - 1,
                                  2 * now,
                                  size,
                                  size - 1,
                                  size + 1,
                                  std::uint64_t{1} << 31,
                                  (std::uint64_t{1} << 31) - 1,
                                  std::uint64_t{1} << 32,
                                  (std::uint64_t{1} << 32) - 1,
                                  std::uint64_t{1} << 61,
                                  std::uint64_t{1} << 63,
                                  (std::uint64_t{1} << 63) - 1,
                                  ~std::uint64_t{0},
                                  ~std::uint64_t{0} / 8 + 1};
  return values[below(random, std::size(values))];
}

/// The runs of digits.
std::vector<piece> numbers_of(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  std::vector<piece> out;
  for (std::size_t at = text.find_first_of(digits); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_not_of(digits, at), text.size());
    out.push_back({at, end - at});
    at = text.find_first_of(digits, end);
  }
  return out;
}

/// What stands between the separators, each with the one that follows it.
std::vector<piece> pieces_of(std::string_view text, char separator) {
  std::vector<piece> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size() - 1) + 1;
    out.push_back({at, end - at});
    at = end;
  }
  return out;
}

void change_number(std::string& text, source& random) {
  const auto numbers = numbers_of(text);
  if (numbers.empty()) return;
  const auto [at, size] = numbers[below(random, numbers.size())];
  const auto& other = numbers[below(random, numbers.size())];
  std::uint64_t now = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(size, 19); ++i)
    now = 10 * now + static_cast<std::uint64_t>(text[at + i] - '0');
  constexpr const char* words[] = {"",      "-1",  "+1", "1.5", "1e999",
                                   "1e-99", "nan", "0x", "007", "18446744073709551616"};
  const std::size_t kind = below(random, 8);
  text.replace(at, size,
               kind == 0   ? text.substr(other.at, other.size)
               : kind == 1 ? std::string(words[below(random, std::size(words))])
                           : std::to_string(hostile_count(random, now, text.size())));
}

void change_pieces(std::string& text, source& random) {
  constexpr char separators[] = {'\n', '\n', '\n', ',', ' ', '<', '}', '\t'};
  const auto pieces = pieces_of(text, separators[below(random, std::size(separators))]);
  if (pieces.empty()) return;
  auto a = pieces[below(random, pieces.size())], b = pieces[below(random, pieces.size())];
  switch (below(random, 3)) {
    case 0:
      text.erase(a.at, a.size);
      break;
    case 1:
      text.insert(b.at, text.substr(a.at, a.size));
      break;
    default: {
      if (a.at > b.at) std::swap(a, b);
      if (a.at == b.at) break;
      const std::string first = text.substr(a.at, a.size), second = text.substr(b.at, b.size);
      text.replace(b.at, b.size, first);
      text.replace(a.at, a.size, second);
    }
  }
}

/// A word of 1, 2, 4 or 8 bytes, mostly at a multiple of its size, little-endian.
void change_word(std::string& bytes, source& random) {
  const std::size_t width = std::size_t{1} << below(random, 4);
  if (bytes.size() < width) return;
  const auto place = [&] {
    const std::size_t at = below(random, bytes.size() - width + 1);
    return below(random, 4) == 0 ? at : at / width * width;
  };
  const auto load = [&](std::size_t at) {
    std::uint64_t word = 0;
    for (std::size_t i = width; i-- > 0;)
      word = word << 8 | static_cast<unsigned char>(bytes[at + i]);
    return word;
  };
  const std::size_t at = place();
  std::uint64_t word = below(random, 4) == 0 ? load(place())
                                             : hostile_count(random, load(at), bytes.size());
  for (std::size_t i = 0; i < width; ++i, word >>= 8)
    bytes[at + i] = static_cast<char>(word & 0xFF);
}

/// Remove or repeat a block of words of 8 bytes.
void change_block(std::string& bytes, source& random) {
  const std::size_t words = bytes.size() / 8;
  if (words == 0) return;
  const std::size_t first = below(random, words),
                    count = 1 + below(random, std::min<std::size_t>(words - first, 8));
  if (below(random, 2) == 0)
    bytes.erase(8 * first, 8 * count);
  else
    bytes.insert(8 * below(random, words), bytes.substr(8 * first, 8 * count));
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  source random(seed);
  if (size == 0 || below(random, 2) == 0) return LLVMFuzzerMutate(data, size, most);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  for (std::size_t changes = 1 + below(random, 3); changes > 0; --changes) {
    constexpr void (*kinds[])(std::string&, source&) = {change_number, change_pieces, change_word,
                                                        change_block};
    kinds[below(random, std::size(kinds))](bytes, random);
  }
  const std::size_t after = std::min(bytes.size(), most);
  std::memcpy(data, bytes.data(), after);
  return after;
}

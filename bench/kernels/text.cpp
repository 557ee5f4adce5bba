// SPDX-License-Identifier: BSL-1.0
// Text into IDs and IDs into text.
#include "ladder.hpp"
#include "words.hpp"

#include <halograph/adapters/boost_interprocess.hpp>
#include <halograph/graph/symmetrize.hpp>
#include <halograph/io/formats/edge_list.hpp>
#include <halograph/io/formats/metis.hpp>
#include <halograph/serial/text/edges.hpp>
#include <halograph/serial/text/numbers.hpp>
#include <halograph/serial/text/writer.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace halograph::bench {

namespace {

/// Digits, then one other character, and so on, without any check.
std::size_t plain_numbers(const std::string& text, std::vector<narrow_id>& out) {
  std::size_t count = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    narrow_id value = 0;
    while (at != end && static_cast<unsigned char>(*at - '0') < 10)
      value = value * 10 + static_cast<narrow_id>(*at++ - '0');
    out[count++] = value;
    if (at != end) ++at;
  }
  return count;
}

std::string edge_text_of(const edge_graph& g, char between) {
  std::string out;
  append_edges(out, std::span<const narrow_id>(g.source), std::span<const narrow_id>(g.target),
               between);
  return out;
}

/// The graph without directions, loops and repetitions as METIS writes graphs.
std::string metis_text_of(const edge_graph& g) {
  const auto rows = symmetrize<std::int32_t, std::int32_t>(g.view());
  std::string out = std::to_string(g.nodes) + " " + std::to_string(rows.num_pairs()) + "\n";
  for (std::size_t v = 0; v < g.nodes; ++v) {
    for (auto i = static_cast<std::size_t>(rows.offsets[v]);
         i < static_cast<std::size_t>(rows.offsets[v + 1]); ++i) {
      append_number(out, rows.neighbors[i] + 1);
      out += ' ';
    }
    if (out.back() == ' ')
      out.back() = '\n';
    else
      out += '\n';
  }
  return out;
}

void add_kernels(const subject& s) {
  for (const char between : {' ', ','}) {
    const std::string name = between == ' ' ? "edge_list" : "csv";
    const lazy<std::string> text([&s, between] { return edge_text_of(s.g, between); });
    const auto bytes = static_cast<double>(text->size());
    const lazy<std::vector<narrow_id>> numbers(
        [&s] { return std::vector<narrow_id>(2 * s.g.edges() + 1); });
    add(s, {"read_" + name + "/plain", s.edges(), bytes, 8 * s.edges()},
        [text, numbers] { keep(plain_numbers(*text, *numbers)); });
    for (const std::size_t threads : {std::size_t{1}, s.threads}) {
      const edge_text_options how{.format = {.delimiter = between == ',' ? ',' : '\0'},
                                  .source_count = s.g.nodes,
                                  .target_count = s.g.nodes};
      add(s, {"read_" + name + "/span", s.edges(), bytes, 8 * s.edges(), threads},
          [&s, text, how, threads] {
            keep(read_edges<narrow_id>(std::as_bytes(std::span(text->data(), text->size())),
                                       "bench", how, threads == 1 ? s.one : s.many));
          });
      add(s, {"read_" + name + "/full", s.edges(), bytes, 8 * s.edges(), threads},
          [&s, text, threads, between, path = std::string()]() mutable {
            if (path.empty()) {
              path = s.scratch + (between == ' ' ? "/edges.txt" : "/edges.csv");
              write_file(path, *text);
            }
            keep(read_edge_list<narrow_id, narrow_id>(
                path, {.num_nodes = s.g.nodes}, mapped_files{}, threads == 1 ? s.one : s.many));
          });
    }
  }
  const lazy<std::string> metis([&s] { return metis_text_of(s.g); });
  const auto metis_bytes = static_cast<double>(metis->size());
  const lazy<std::vector<narrow_id>> numbers(
      [metis] { return std::vector<narrow_id>(metis->size() / 2 + 2); });
  add(s, {"read_metis/plain", 2 * s.edges(), metis_bytes, 8 * s.edges()},
      [metis, numbers] { keep(plain_numbers(*metis, *numbers)); });
  add(s, {"read_metis/full", 2 * s.edges(), metis_bytes, 16 * s.edges()},
      [&s, metis, path = std::string()]() mutable {
        if (path.empty()) {
          path = s.scratch + "/metis.graph";
          write_file(path, *metis);
        }
        keep(read_metis_graph<narrow_id, narrow_id>(path, mapped_files{}));
      });

  const auto out = std::make_shared<std::string>();
  const auto out_bytes = static_cast<double>(edge_text_of(s.g, ' ').size());
  add(s, {"write_edge_list/plain", s.edges(), 8 * s.edges(), out_bytes}, [&s, out, out_bytes] {
    out->resize(static_cast<std::size_t>(out_bytes) + 64);
    char* at = out->data();
    char* const end = at + out->size();
    for (std::size_t e = 0; e < s.g.edges(); ++e) {
      at = std::to_chars(at, end, s.g.source[e]).ptr;
      *at++ = ' ';
      at = std::to_chars(at, end, s.g.target[e]).ptr;
      *at++ = '\n';
    }
    keep(*out->data());
  });
  add(s, {"write_edge_list/span", s.edges(), 8 * s.edges(), out_bytes}, [&s, out] {
    out->clear();
    append_edges(*out, std::span<const narrow_id>(s.g.source),
                 std::span<const narrow_id>(s.g.target));
  });
  add(s, {"write_edge_list/full", s.edges(), 8 * s.edges(), out_bytes}, [&s] {
    text_writer rows(s.scratch + "/written.txt");
    for (std::size_t e = 0; e < s.g.edges(); ++e)
      rows.number(s.g.source[e]).put(' ').number(s.g.target[e]).put('\n');
    rows.close();
  });
}

const ladder these(add_kernels);

}  // namespace
}  // namespace halograph::bench

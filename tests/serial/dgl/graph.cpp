// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/dgl/graph.hpp>

#include <gtest/gtest.h>
#include <support/sha256.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;
namespace dgl = halograph::dgl;
using dgl::strictness;
using hg::testing::sha256;

namespace {

using bytes = std::vector<std::byte>;

template <class T>
hg::tensor col(std::vector<T> values) {
  return hg::tensor::from(std::move(values));
}

bytes written(const dgl::graph_file& content) {
  hg::memory_sink sink;
  dgl::write_graphs(sink, content);
  return {sink.bytes().begin(), sink.bytes().end()};
}

dgl::graph_file read(const bytes& file, strictness how = strictness::strict) {
  return dgl::read_graphs({file, nullptr}, "g.dgl", how);
}

hg::status refusal(const bytes& file, strictness how = strictness::strict) {
  try {
    read(file, how);
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.where().file, "g.dgl");
    EXPECT_TRUE(problem.where().byte.has_value()) << problem.what();
    EXPECT_FALSE(problem.message().empty());
    return {problem.code(), problem.where().byte.value_or(~std::uint64_t{0})};
  }
  return hg::status::ok;
}

void expect_refused(hg::status answer, hg::error_kind code, std::uint64_t byte,
                    int line = __builtin_LINE()) {
  if (answer.code == code && answer.position == byte) return;
  ADD_FAILURE_AT(__FILE__, line) << hg::name(answer.code) << " at " << answer.position
                                 << ", expected " << hg::name(code) << " at " << byte;
}

template <class T>
bytes changed(bytes file, std::size_t at, T value) {
  hg::store_le(value, file.data() + at);
  return file;
}

/// The partition file of the format's worked example: edges 2->0, 0->1, 1->2.
dgl::graph_file example() {
  dgl::graph_data graph;
  graph.node_types.push_back({"_N",
                              3,
                              {{"part_id", col<std::int64_t>({0, 0, 1})},
                               {"inner_node", col<std::uint8_t>({1, 1, 0})},
                               {"_ID", col<std::int64_t>({0, 1, 2})}}});
  dgl::relation_data edges;
  edges.name = "_E";
  edges.edges = 3;
  edges.coo = hg::coo_columns{col<std::int64_t>({2, 0, 1}), col<std::int64_t>({0, 1, 2})};
  edges.columns = {{"_ID", col<std::int64_t>({0, 1, 2})},
                   {"inner_edge", col<std::uint8_t>({1, 1, 0})}};
  graph.relations.push_back(edges);
  return {{graph}, {}};
}

dgl::graph_file example_csr_csc() {
  auto content = example();
  auto& edges = content.graphs[0].relations[0];
  edges.coo.reset();
  edges.csr = hg::compressed_columns{col<std::int64_t>({0, 1, 2, 3}), col<std::int64_t>({1, 2, 0}),
                                     col<std::int64_t>({1, 2, 0})};
  edges.csc = hg::compressed_columns{col<std::int64_t>({0, 1, 2, 3}), col<std::int64_t>({2, 0, 1}),
                                     col<std::int64_t>({0, 1, 2})};
  return content;
}

/// Node types a, b; int32 relations r: a->b as coo and s: b->a as csc; a label.
dgl::graph_file two_types() {
  dgl::graph_data graph;
  graph.node_types = {{"a", 2, {}}, {"b", 3, {}}};
  dgl::relation_data r, s;
  r.name = "r";
  r.source = 0;
  r.target = 1;
  r.edges = 2;
  r.coo = hg::coo_columns{col<std::int32_t>({0, 1}), col<std::int32_t>({2, 0})};
  s.name = "s";
  s.source = 1;
  s.target = 0;
  s.edges = 1;
  s.csc = hg::compressed_columns{col<std::int32_t>({0, 0, 1}), col<std::int32_t>({1}),
                                 col<std::int32_t>({0})};
  graph.relations = {r, s};
  return {{graph}, {{"y", col<float>({5})}}};
}

void expect_same(const std::vector<hg::named_tensor>& a, std::vector<hg::named_tensor> b) {
  std::sort(b.begin(), b.end(), [](const auto& x, const auto& y) { return x.name < y.name; });
  auto sorted = a;
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& x, const auto& y) { return x.name < y.name; });
  ASSERT_EQ(sorted.size(), b.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    EXPECT_EQ(sorted[i].name, b[i].name);
    EXPECT_EQ(sorted[i].value, b[i].value) << b[i].name;
  }
}

void expect_same(const dgl::graph_data& a, const dgl::graph_data& b) {
  ASSERT_EQ(a.node_types.size(), b.node_types.size());
  for (std::size_t t = 0; t < a.node_types.size(); ++t) {
    EXPECT_EQ(a.node_types[t].name, b.node_types[t].name);
    EXPECT_EQ(a.node_types[t].nodes, b.node_types[t].nodes);
    expect_same(a.node_types[t].columns, b.node_types[t].columns);
  }
  ASSERT_EQ(a.relations.size(), b.relations.size());
  for (std::size_t r = 0; r < a.relations.size(); ++r) {
    const auto &x = a.relations[r], &y = b.relations[r];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.source, y.source);
    EXPECT_EQ(x.target, y.target);
    EXPECT_EQ(x.edges, y.edges);
    EXPECT_EQ(x.allowed, y.allowed);
    EXPECT_EQ(x.stored(), y.stored());
    if (x.coo && y.coo) {
      EXPECT_EQ(x.coo->source, y.coo->source);
      EXPECT_EQ(x.coo->target, y.coo->target);
    }
    for (const auto& [p, q] : {std::pair(&x.csr, &y.csr), std::pair(&x.csc, &y.csc)}) {
      if (!*p || !*q) continue;
      EXPECT_EQ((*p)->offsets, (*q)->offsets);
      EXPECT_EQ((*p)->neighbors, (*q)->neighbors);
      EXPECT_EQ((*p)->edges, (*q)->edges);
    }
    expect_same(x.columns, y.columns);
  }
}

}  // namespace

TEST(dgl_graph, writes_the_bytes_of_the_worked_example) {
  const bytes file = written(example());
  EXPECT_EQ(file.size(), 5295u);
  EXPECT_EQ(sha256(file), "caa9eef7dacbf3302a67c031f3672ae40d7d7c221c55b8c6628e82968d4a96ae");
}

TEST(dgl_graph, writes_the_bytes_of_the_example_in_csr_and_csc) {
  const bytes file = written(example_csr_csc());
  EXPECT_EQ(file.size(), 5784u);
  EXPECT_EQ(sha256(file), "d2912af004ba73e71e3f19224ddeb7249e5332e9d9310af5252359945251f802");
}

TEST(dgl_graph, writes_the_bytes_of_the_example_of_two_types) {
  const bytes file = written(two_types());
  EXPECT_EQ(file.size(), 5435u);
  EXPECT_EQ(sha256(file), "6eab324ebc094577e8d71e474e9e2bacfb498432a6f0e63a11c80a94837062dd");
}

TEST(dgl_graph, gives_back_what_was_written) {
  for (const auto& content : {example(), example_csr_csc(), two_types(), dgl::graph_file{}}) {
    const bytes file = written(content);
    const auto back = read(file);
    ASSERT_EQ(back.graphs.size(), content.graphs.size());
    for (std::size_t i = 0; i < back.graphs.size(); ++i)
      expect_same(back.graphs[i], content.graphs[i]);
    expect_same(back.labels, content.labels);
  }
}

TEST(dgl_graph, gives_graphs_by_position_in_the_order_asked) {
  dgl::graph_file three;
  for (const auto& one : {example(), two_types(), example_csr_csc()})
    three.graphs.push_back(one.graphs[0]);
  three.labels = {{"y", col<int>({1, 2, 3})}};
  const bytes file = written(three);
  const std::uint64_t wanted[] = {2, 0, 2};
  const auto back = dgl::read_graphs_at({file, nullptr}, "g.dgl", wanted);
  ASSERT_EQ(back.graphs.size(), 3u);
  expect_same(back.graphs[0], three.graphs[2]);
  expect_same(back.graphs[1], three.graphs[0]);
  expect_same(back.graphs[2], three.graphs[2]);
  expect_same(back.labels, three.labels);
  const std::uint64_t beyond[] = {3};
  const auto refused = [](const bytes& content, std::span<const std::uint64_t> positions) {
    try {
      dgl::read_graphs_at({content, nullptr}, "g.dgl", positions);
    } catch (const hg::error& problem) {
      return hg::status{problem.code(), problem.where().byte.value_or(~std::uint64_t{0})};
    }
    return hg::status::ok;
  };
  expect_refused(refused(file, beyond), hg::error_kind::out_of_range, 24);
  // The index ends with the places of three graphs and its own size.
  const std::size_t last = file.size() - 16;
  for (const std::uint64_t place : {std::uint64_t{0}, std::uint64_t{file.size()}}) {
    expect_refused(refused(changed(file, last, place), wanted), hg::error_kind::malformed, last);
  }
}

TEST(dgl_graph, reads_graphs_without_edges_nodes_or_types) {
  dgl::graph_data graph;
  graph.node_types = {{"a", 0, {}},
                      {"b", 4, {}},
                      {"c", 0, {{"x", hg::tensor::from(std::vector<float>{}, {0, 2})}}}};
  dgl::relation_data none;
  none.name = "none";
  none.source = 2;
  none.target = 1;
  none.csr = hg::compressed_columns{col<std::int64_t>({0}), col<std::int64_t>({}),
                                    col<std::int64_t>({})};
  none.coo = hg::coo_columns{col<std::int64_t>({}), col<std::int64_t>({})};
  graph.relations = {none};
  const dgl::graph_file content{{graph, dgl::graph_data{}}, {}};
  const bytes file = written(content);
  const auto back = read(file);
  ASSERT_EQ(back.graphs.size(), 2u);
  expect_same(back.graphs[0], graph);
  EXPECT_TRUE(back.graphs[1].node_types.empty());
}

TEST(dgl_graph, reads_the_codes_of_older_versions) {
  const auto with = [](const dgl::graph_file& content, std::uint64_t stored,
                       std::uint64_t allowed) {
    return changed(changed(written(content), 4345, stored), 4353, allowed);
  };
  EXPECT_EQ(read(with(example(), 1, 0)).graphs[0].relations[0].allowed, hg::sparse_formats::all());
  EXPECT_EQ(read(with(example(), 1, 3)).graphs[0].relations[0].allowed.str(), "csc");
  auto content = example_csr_csc();
  content.graphs[0].relations[0].csr.reset();
  const auto csc = read(with(content, 3, 2));
  EXPECT_TRUE(csc.graphs[0].relations[0].csc.has_value());
  EXPECT_EQ(csc.graphs[0].relations[0].allowed.str(), "csr");
  content = example_csr_csc();
  content.graphs[0].relations[0].csc.reset();
  EXPECT_TRUE(read(with(content, 2, 0x1'00000007)).graphs[0].relations[0].csr.has_value());
  EXPECT_TRUE(read(with(example(), 1, 0x1'00000000)).graphs[0].relations[0].allowed.empty());
}

TEST(dgl_graph, lenient_reading_accepts_unknown_flags_and_high_bits_of_formats) {
  const bytes good = written(example());
  for (const bytes& file :
       {changed(good, 4786, std::uint8_t{2}), changed(good, 4345, std::uint64_t{0x2'00000001}),
        changed(good, 4353, std::uint64_t{0x2'00000007})}) {
    EXPECT_EQ(refusal(file), hg::status::malformed);
    expect_same(read(file, strictness::lenient).graphs[0], example().graphs[0]);
  }
}

TEST(dgl_graph, puts_a_coo_with_edge_ids_in_their_order) {
  // By hand: the null array of the worked example becomes [2, 0, 1].
  bytes file = written(example());
  bytes spliced(file.begin(), file.begin() + 4738 + 32);
  for (const std::int64_t number :
       {std::int64_t{3}, std::int64_t{24}, std::int64_t{2}, std::int64_t{0}, std::int64_t{1}}) {
    spliced.resize(spliced.size() + 8);
    hg::store_le(number, spliced.data() + spliced.size() - 8);
  }
  spliced.insert(spliced.end(), file.begin() + 4786, file.end());
  const auto back = read(spliced);
  EXPECT_EQ(back.graphs[0].relations[0].coo->source.values<std::int64_t>(),
            (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(back.graphs[0].relations[0].coo->target.values<std::int64_t>(),
            (std::vector<std::int64_t>{1, 2, 0}));
  expect_refused(refusal(changed(spliced, 4786 + 8, std::int64_t{2})), hg::error_kind::malformed,
                 4794);
  expect_refused(refusal(changed(spliced, 4786 + 8, std::int64_t{3})), hg::error_kind::malformed,
                 4794);
  // One ID less, or a matrix of IDs: each at the byte where the IDs start.
  bytes fewer = changed(changed(spliced, 4770, std::int64_t{2}), 4778, std::int64_t{16});
  fewer.erase(fewer.begin() + 4786, fewer.begin() + 4794);
  expect_refused(refusal(fewer), hg::error_kind::malformed, 4786);
  bytes matrix = changed(spliced, 4738 + 24, std::int32_t{2});
  matrix.insert(matrix.begin() + 4778, 8, std::byte{0});
  expect_refused(refusal(changed(matrix, 4778, std::int64_t{1})), hg::error_kind::malformed, 4794);
}

TEST(dgl_graph, ignores_reserved_bytes_and_flags) {
  const bytes good = written(example());
  bytes dirty = good;
  for (std::size_t i = 32; i < 4096; ++i) dirty[i] = std::byte{0xAB};
  dirty = changed(dirty, 4786, std::uint16_t{0x0101});
  expect_same(read(dirty).graphs[0], example().graphs[0]);
}

TEST(dgl_graph, refuses_version_1_by_name) {
  const bytes good = written(example());
  expect_refused(refusal(changed(good, 8, std::uint64_t{1})), hg::error_kind::unsupported, 8);
  try {
    read(changed(good, 8, std::uint64_t{1}));
  } catch (const hg::error& problem) {
    EXPECT_NE(problem.message().find("version 1"), std::string::npos);
  }
  expect_refused(refusal(changed(good, 8, std::uint64_t{3})), hg::error_kind::unsupported, 8);
}

TEST(dgl_graph, names_the_byte_of_each_fault) {
  const bytes good = written(example());
  ASSERT_EQ(refusal(good), hg::status::ok);
  using hg::error_kind;
  // 1. magic numbers and kinds
  expect_refused(refusal(changed(good, 0, dgl::tensors_magic)), error_kind::malformed, 0);
  for (const std::size_t magic : {0u, 4112u, 4120u, 4128u, 4152u, 4216u, 4272u, 4337u, 4361u, 4369u,
                                  4393u, 4570u, 4594u, 4666u, 4738u, 4831u}) {
    expect_refused(refusal(changed(good, magic, std::uint8_t{0xFF})), error_kind::malformed, magic);
  }
  expect_refused(refusal(changed(good, 16, std::uint64_t{1})), error_kind::malformed, 16);
  // 2. places
  expect_refused(refusal(changed(good, 24, ~std::uint64_t{0})), error_kind::truncated, 24);
  expect_refused(refusal(changed(good, 24, std::uint64_t{2})), error_kind::malformed, 5263);
  expect_refused(refusal(changed(good, 4096, std::uint64_t{4111})), error_kind::malformed, 4096);
  expect_refused(refusal(changed(good, 4096, std::uint64_t{4113})), error_kind::malformed, 4096);
  expect_refused(refusal(changed(good, 4096, ~std::uint64_t{0}), strictness::lenient),
                 error_kind::truncated, 4096);
  expect_refused(refusal(changed(good, 5263, std::uint64_t{17})), error_kind::malformed, 5263);
  expect_refused(refusal(changed(good, 5271, std::uint64_t{2})), error_kind::malformed, 5271);
  expect_refused(refusal(changed(good, 5279, std::uint64_t{4111})), error_kind::malformed, 5279);
  expect_refused(refusal(changed(good, 5287, std::uint64_t{15})), error_kind::malformed, 5287);
  dgl::graph_file two = example();
  two.graphs.push_back(two.graphs[0]);
  const bytes both = written(two);
  expect_refused(refusal(changed(both, both.size() - 16, std::uint64_t{4112})),
                 error_kind::malformed, both.size() - 16);
  bytes longer = good;
  longer.push_back(std::byte{0});
  expect_refused(refusal(longer), error_kind::malformed, good.size());
  // 3. counts against what is left
  for (const std::size_t count :
       {4104u, 4329u, 4788u, 4804u, 4812u, 5059u, 5067u, 5227u, 5235u, 5245u}) {
    expect_refused(refusal(changed(good, count, ~std::uint64_t{0})), error_kind::truncated, count);
  }
  // 4. counts against each other
  for (const std::size_t count : {4329u, 4788u, 4804u, 5059u, 5227u, 5245u}) {
    expect_refused(refusal(changed(good, count, std::uint64_t{0})), error_kind::malformed, count);
  }
  // 5. IDs
  expect_refused(refusal(changed(good, 4650, std::int64_t{3})), error_kind::malformed, 4650);
  expect_refused(refusal(changed(good, 4650, std::int64_t{-1})), error_kind::malformed, 4650);
  expect_refused(refusal(changed(good, 4730, std::int64_t{3})), error_kind::malformed, 4730);
  expect_refused(refusal(changed(good, 4594 + 29, std::uint8_t{32})), error_kind::malformed,
                 4594 + 40);  // bytes no longer fit
  expect_refused(refusal(changed(good, 4594 + 28, std::uint8_t{2})), error_kind::malformed,
                 4642);  // float64 IDs
  // 6. numbers of nodes
  expect_refused(refusal(changed(good, 4578, std::int64_t{4})), error_kind::malformed, 4570);
  expect_refused(refusal(changed(good, 4586, std::int64_t{4})), error_kind::malformed, 4570);
  expect_refused(refusal(changed(good, 4796, std::int64_t{4})), error_kind::malformed, 4570);
  expect_refused(refusal(changed(good, 4796, std::int64_t{-1})), error_kind::malformed, 4796);
  // formats
  for (const std::uint64_t code : {std::uint64_t{0}, std::uint64_t{4}, std::uint64_t{0x1'00000000},
                                   std::uint64_t{0x1'00000008}, std::uint64_t{0x2'00000001}}) {
    expect_refused(refusal(changed(good, 4345, code)), error_kind::malformed, 4345);
  }
  expect_refused(refusal(changed(good, 4353, std::uint64_t{4})), error_kind::malformed, 4353);
  // metagraphs
  expect_refused(refusal(changed(good, 4264, std::int64_t{1})), error_kind::malformed, 4264);
  expect_refused(refusal(changed(good, 4136, std::int64_t{2})), error_kind::malformed, 4136);
  expect_refused(refusal(changed(good, 4786, std::uint8_t{2})), error_kind::malformed, 4786);
}

TEST(dgl_graph, finds_formats_of_different_edges) {
  const bytes good = written(example_csr_csc());
  const auto content = read(good);
  const auto at = [&](const hg::tensor& values, std::size_t element) {
    return static_cast<std::size_t>(values.bytes().data() - good.data()) + 8 * element;
  };
  const auto& edges = content.graphs[0].relations[0];
  const std::size_t source = at(edges.csc->neighbors, 1);
  expect_refused(refusal(changed(good, source, std::int64_t{1})), hg::error_kind::malformed,
                 source);
  EXPECT_EQ(refusal(changed(good, source, std::int64_t{1}), strictness::lenient), hg::status::ok);
  const std::size_t offset = at(edges.csr->offsets, 1);
  expect_refused(refusal(changed(good, offset, std::int64_t{3})), hg::error_kind::malformed,
                 offset + 8);
  const std::size_t id = at(edges.csr->edges, 2);
  expect_refused(refusal(changed(good, id, std::int64_t{1})), hg::error_kind::malformed, id);
}

TEST(dgl_graph, finds_a_coo_and_a_csr_of_different_edges) {
  auto content = example_csr_csc();
  content.graphs[0].relations[0].csc.reset();
  content.graphs[0].relations[0].coo = example().graphs[0].relations[0].coo;
  const bytes good = written(content);
  const auto neighbors = read(good).graphs[0].relations[0].csr->neighbors;
  const auto at = static_cast<std::size_t>(neighbors.bytes().data() - good.data()) + 8;
  expect_refused(refusal(changed(good, at, std::int64_t{1})), hg::error_kind::malformed, at);
}

TEST(dgl_graph, wants_formats_of_one_number_of_edges_and_one_dtype) {
  const bytes good = written(example_csr_csc());
  auto content = example_csr_csc();
  auto& edges = content.graphs[0].relations[0];
  edges.csr = hg::compressed_columns{col<int>({0, 1, 2, 3}), col<int>({1, 2, 0}),
                                     col<int>({1, 2, 0})};
  edges.csc = hg::compressed_columns{col<int>({0, 1, 2, 3}), col<int>({2, 0, 1}),
                                     col<int>({0, 1, 2})};
  const bytes narrow = written(content);
  edges.edges = 2;
  edges.columns.clear();
  edges.csr = hg::compressed_columns{
      col<std::int64_t>({0, 1, 2, 2}), col<std::int64_t>({1, 2}), {}};
  edges.csc = hg::compressed_columns{
      col<std::int64_t>({0, 0, 1, 2}), col<std::int64_t>({0, 1}), {}};
  const bytes fewer = written(content);
  // A metagraph precedes each format; the third one in the file precedes the csc.
  const auto csc_of = [](const bytes& file) {
    bytes magic(8);
    hg::store_le(dgl::detail::metagraph_magic, magic.data());
    auto next = file.begin();
    for (int i = 0; i < 3; ++i)
      next = std::search(next, file.end(), magic.begin(), magic.end()) + 1;
    return next - 1 - file.begin();
  };
  constexpr std::ptrdiff_t metagraph_bytes = 4570 - 4361;
  for (const bytes& other : {narrow, fewer}) {
    bytes mixed(good.begin(), good.begin() + csc_of(good));
    mixed.insert(mixed.end(), other.begin() + csc_of(other), other.end());
    expect_refused(refusal(mixed), hg::error_kind::malformed,
                   static_cast<std::uint64_t>(csc_of(good) + metagraph_bytes));
  }
}

TEST(dgl_graph, wants_one_edge_in_the_metagraph_of_a_relation) {
  // By hand: remove the loop of the one vertex.
  constexpr std::size_t offsets = 4361 + 8 + 24, indices = offsets + 48 + 16,
                        ids = indices + 48 + 8;
  bytes file = changed(written(example()), offsets + 48 + 8, std::int64_t{0});
  for (const std::size_t array : {ids, indices}) {
    file = changed(changed(file, array + 32, std::int64_t{0}), array + 40, std::int64_t{0});
    const auto data = file.begin() + static_cast<std::ptrdiff_t>(array) + 48;
    file.erase(data, data + 8);
  }
  expect_refused(refusal(file), hg::error_kind::malformed, 4361);
}

TEST(dgl_graph, wants_columns_with_a_row_for_each_node_and_edge) {
  bytes file = written(example());
  // inner_node: shape [3] becomes [1, 3], which takes 8 more bytes.
  file = changed(file, 4921 + 24, std::int32_t{2});
  const std::int64_t one = 1;
  bytes extent(8);
  hg::store_le(one, extent.data());
  file.insert(file.begin() + 4921 + 32, extent.begin(), extent.end());
  expect_refused(refusal(file), hg::error_kind::malformed, 4812);
}

TEST(dgl_graph, refuses_a_column_that_is_a_scalar_even_for_one_node) {
  dgl::graph_data graph;
  graph.node_types = {{"_N", 1, {{"x", col<int>({7})}}}};
  bytes file = written({{graph}, {}});
  const auto values = read(file).graphs[0].node_types[0].columns[0].value;
  const auto at = values.bytes().data() - file.data();  // rank, dtype, extent and size precede it
  file = changed(file, static_cast<std::size_t>(at) - 24, std::int32_t{0});
  file.erase(file.begin() + at - 16, file.begin() + at - 8);
  const std::ptrdiff_t count = at - 48 - 1 - 8 - 8;
  expect_refused(refusal(file), hg::error_kind::malformed, static_cast<std::uint64_t>(count));
}

TEST(dgl_graph, cut_anywhere_is_refused) {
  for (const auto& content : {example(), example_csr_csc(), two_types()}) {
    const bytes good = written(content);
    for (std::size_t size = 0; size < good.size(); size += size < 4096 && size > 40 ? 101 : 1) {
      const bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_EQ(refusal(cut).code, hg::error_kind::truncated) << size;
      // Without the index, 32 bytes for one graph, DGL reads all graphs as well.
      ASSERT_EQ(refusal(cut, strictness::lenient) == hg::status::ok, size >= good.size() - 32)
          << size;
      const std::uint64_t first[] = {0};
      EXPECT_THROW(dgl::read_graphs_at({cut, nullptr}, "g.dgl", first), hg::error) << size;
    }
  }
}

TEST(dgl_graph, with_any_bit_flipped_is_read_or_refused) {
  for (const auto& content : {example_csr_csc(), two_types()}) {
    const bytes good = written(content);
    for (std::size_t at = 0; at < good.size(); ++at) {
      if (at == 32) at = 4096;
      for (int bit = 0; bit < 8; ++bit) {
        bytes bad = good;
        bad[at] ^= static_cast<std::byte>(1 << bit);
        static_cast<void>(refusal(bad));
      }
    }
  }
}

TEST(dgl_graph, refuses_to_write_what_no_reader_accepts) {
  const auto refused = [](auto change) {
    auto content = example();
    change(content.graphs[0]);
    EXPECT_THROW(written(content), hg::error);
  };
  refused([](dgl::graph_data& g) { g.relations[0].coo->source = col<std::int64_t>({2, 0, 3}); });
  refused([](dgl::graph_data& g) { g.relations[0].coo.reset(); });
  refused([](dgl::graph_data& g) { g.relations[0].edges = 4; });
  refused([](dgl::graph_data& g) { g.relations[0].source = 1; });
  refused([](dgl::graph_data& g) { g.relations[0].target = 1; });
  refused([](dgl::graph_data& g) { g.node_types[0].nodes = 2; });
  refused(
      [](dgl::graph_data& g) { g.node_types[0].columns.push_back({"_ID", col<int>({1, 2, 3})}); });
  refused([](dgl::graph_data& g) { g.relations[0].columns[0].value = col<int>({1, 2}); });
  refused([](dgl::graph_data& g) {
    g.relations.clear();
    g.node_types = {{"_N", 1, {{"x", hg::tensor::from(std::vector<int>{7}, {})}}}};
  });
}

// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/native.hpp>
#include <halograph/serial/structure.hpp>

#include <gtest/gtest.h>
#include <support/part_files.hpp>
#include <support/sha256.hpp>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hg = halograph;
using hg::column;
using hg::error_kind;
using hg::testing::column_of;
using hg::testing::small_part;
using hg::testing::small_part_files;

namespace {

using bytes = std::vector<std::byte>;

template <class Read>
hg::status refusal(const bytes& file, Read read) {
  try {
    read(hg::file_bytes{file, nullptr}, std::string("x.hgp"));
  } catch (const hg::error& problem) {
    EXPECT_EQ(problem.where().file, "x.hgp");
    EXPECT_FALSE(problem.message().empty());
    return {problem.code(), problem.where().byte.value_or(~std::uint64_t{0})};
  }
  return hg::status::ok;
}

hg::status opening(const bytes& file) {
  return refusal(file, [](const auto& data, const auto& name) { hg::native::open(data, name); });
}
hg::status structure(const bytes& file) {
  return refusal(file, [](const auto& data, const auto& name) {
    hg::native_serializer{}.read_structure(data, name);
  });
}
hg::status features(const bytes& file) {
  return refusal(file, [](const auto& data, const auto& name) {
    hg::native_serializer{}.read_features(data, name);
  });
}

void expect_refused(hg::status answer, error_kind code, std::uint64_t byte,
                    int line = __builtin_LINE()) {
  if (answer.code == code && answer.position == byte) return;
  ADD_FAILURE_AT(__FILE__, line) << hg::name(answer.code) << " at " << answer.position
                                 << ", expected " << hg::name(code) << " at " << byte;
}

/// Change a number and repair the digest, so that the check behind it is reached.
template <class T>
bytes changed(bytes file, std::size_t at, T value) {
  hg::store_le(value, file.data() + at);
  const auto table = hg::load_le<std::uint64_t>(file.data() + 24);
  if (table >= 64 && table <= file.size()) {
    hg::store_le(
        hg::native::detail::digest_of(std::span(file).first(static_cast<std::size_t>(table))),
        file.data() + 56);
  }
  return file;
}

bytes graph_file(hg::sparse_formats formats = hg::sparse_formats::all()) {
  return small_part_files(hg::native_serializer{}.layout(small_part(formats)))["graph.hgp"];
}
bytes feature_file() {
  return small_part_files(hg::native_serializer{}.layout(small_part({})))["node_feats.hgp"];
}

}  // namespace

TEST(native_serializer, gives_back_the_part_in_every_combination_of_formats) {
  const hg::native_serializer native;
  for (std::uint8_t bits = 1; bits < 8; ++bits) {
    const auto layout = native.layout(small_part({bits}));
    auto files = small_part_files(layout);
    ASSERT_EQ(files.size(), 5u);
    const auto part = native.read_structure({files[layout.graph_file], nullptr}, "graph.hgp");
    EXPECT_FALSE(hg::check_structure(part));
    EXPECT_EQ(part.nodes, 3u);
    EXPECT_EQ(part.edges, 3u);
    EXPECT_EQ(part.coo.has_value(), (bits & 1) != 0);
    EXPECT_EQ(part.csr.has_value(), (bits & 2) != 0);
    EXPECT_EQ(part.csc.has_value(), (bits & 4) != 0);
    if (part.coo) {
      EXPECT_EQ(part.coo->source, column_of<std::int32_t>({2, 0, 1}));
      EXPECT_EQ(part.coo->target, column_of<std::int32_t>({0, 1, 2}));
    }
    if (part.csr) {
      EXPECT_EQ(part.csr->offsets, column_of<std::int32_t>({0, 1, 2, 3}));
      EXPECT_EQ(part.csr->edges, column_of<std::int32_t>({1, 2, 0}));
    }
    std::map<std::string, hg::tensor> nodes, edges;
    for (const auto& one : part.node_columns) nodes[one.name] = one.value;
    for (const auto& one : part.edge_columns) edges[one.name] = one.value;
    EXPECT_EQ(nodes.size(), 5u);
    EXPECT_EQ(edges.size(), 4u);
    EXPECT_EQ(nodes["_ID"], column_of<std::int64_t>({0, 1, 4}));
    EXPECT_EQ(nodes["inner_node"], column_of<std::uint8_t>({1, 1, 0}));
    EXPECT_EQ(nodes["part_id"], column_of<std::uint32_t>({0, 0, 1}));
    EXPECT_EQ(nodes["_TYPE"], column_of<std::int32_t>({0, 0, 1}));
    EXPECT_EQ(nodes["orig_id"], column_of<std::int64_t>({3, 5, 7}));
    EXPECT_EQ(edges["_ID"], column_of<std::int64_t>({0, 1, 5}));
    EXPECT_EQ(edges["inner_edge"], column_of<std::uint8_t>({1, 1, 0}));
    EXPECT_EQ(edges["_TYPE"], column_of<std::int32_t>({0, 0, 0}));
    EXPECT_EQ(edges["orig_id"], column_of<std::int64_t>({8, 9, 10}));

    const auto arrays = native.read_features({files[layout.node_feature_file], nullptr}, "n");
    ASSERT_EQ(arrays.size(), 2u);
    EXPECT_EQ(arrays[0].name, "user/w");
    EXPECT_EQ(arrays[0].value, hg::tensor::from(std::vector<float>{1, 2, 3, 4}, {2, 2}));
    EXPECT_EQ(arrays[1].value.type(), hg::dtype::boolean) << "bool stays bool here";
    EXPECT_EQ(native.read_features({files[layout.edge_feature_file], nullptr}, "e")[0].value,
              column_of<std::int16_t>({-1, 1}));
    EXPECT_EQ(native.read_features({files[layout.original_nodes_file], nullptr}, "o")[0].value,
              column_of<std::int64_t>({3, 5}));
    EXPECT_EQ(native.read_features({files[layout.original_edges_file], nullptr}, "o")[0].value,
              column_of<std::int64_t>({8, 9}));
  }
}

TEST(native_serializer, keeps_its_bytes) {
  EXPECT_EQ(hg::testing::sha256(graph_file()),
            "68da6bd45559c77c66649f5337ae6a491471a6d4c597179d14259d025af3f3dd");
  EXPECT_EQ(hg::testing::sha256(feature_file()),
            "5130d58e8068ca4408a57a2508384adcc14c56588fbbb6f08ba816dfa2ca0a12");
}

TEST(native_serializer, aligns_sections_to_64_bytes_and_overlaps_none) {
  for (const auto& file :
       hg::native_serializer{}.layout(small_part(hg::sparse_formats::all())).files) {
    EXPECT_EQ(hg::check_layout(file), hg::status::ok);
    for (const auto& one : file.sections) EXPECT_EQ(one.offset % 64, 0u);
  }
}

TEST(native_serializer, stores_local_ids_in_64_bits_only_where_needed) {
  const auto type_of = [](std::uint64_t nodes, std::uint64_t edges) {
    hg::part_description part;
    part.nodes = nodes;
    part.edges = edges;
    part.formats = hg::sparse_formats::all();
    return hg::native_serializer{}.layout(part).files[0].sections[0].type;
  };
  constexpr std::uint64_t most = 0x7FFFFFFF;
  EXPECT_EQ(type_of(most - 1, most), hg::dtype::int32);
  EXPECT_EQ(type_of(most, 0), hg::dtype::int64);
  EXPECT_EQ(type_of(0, most + 1), hg::dtype::int64);
}

TEST(native_serializer, gives_views_that_keep_the_file_alive) {
  auto owner = std::make_shared<bytes>(graph_file());
  const std::byte *const first = owner->data(), *const last = first + owner->size();
  const std::weak_ptr<bytes> watched = owner;
  hg::loaded_structure part = hg::native_serializer{}.read_structure({*owner, owner}, "x");
  owner.reset();
  EXPECT_FALSE(watched.expired());
  EXPECT_GE(part.coo->source.bytes().data(), first);
  EXPECT_LT(part.coo->source.bytes().data(), last);
  part = {};
  EXPECT_TRUE(watched.expired());
}

TEST(native_serializer, refuses_plans_that_no_file_can_hold) {
  const auto refused = [](auto change) {
    hg::part_description part;
    change(part);
    EXPECT_THROW(hg::native_serializer{}.layout(part), hg::error);
  };
  refused([](hg::part_description& p) { p.formats = hg::sparse_formats::none(); });
  refused([](hg::part_description& p) { p.nodes = std::uint64_t{1} << 61; });
  refused([](hg::part_description& p) { p.nodes = ~std::uint64_t{0}; });
  refused([](hg::part_description& p) { p.edges = ~std::uint64_t{0}; });
  refused([](hg::part_description& p) { p.node_features = {{"_N/x", hg::dtype::int8, {}}}; });
  refused([](hg::part_description& p) {
    p.node_features = {{"_N/x", hg::dtype::int8, hg::tensor_shape(33, 1)}};
  });
  refused([](hg::part_description& p) {
    p.node_features = {{"_N/x", hg::dtype::int8, {0}}, {"_N/x", hg::dtype::int8, {0}}};
  });
}

TEST(native_serializer, finds_any_flipped_bit_outside_the_data) {
  const hg::part_layout layout = hg::native_serializer{}.layout(
      small_part(hg::sparse_formats::all()));
  for (const auto& file : layout.files) {
    const bytes good = small_part_files(layout)[file.name];
    ASSERT_EQ(opening(good), hg::status::ok);
    std::vector<bool> data(good.size());
    for (const auto& one : file.sections) {
      for (std::uint64_t i = 0; i < one.bytes(); ++i)
        data[static_cast<std::size_t>(one.offset + i)] = true;
    }
    for (std::size_t at = 0; at < good.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        bytes bad = good;
        bad[at] ^= static_cast<std::byte>(1 << bit);
        EXPECT_EQ(opening(bad) == hg::status::ok, data[at]) << file.name << " byte " << at;
      }
    }
  }
}

TEST(native_serializer, refuses_files_cut_anywhere_or_too_long) {
  for (const bytes& good : {graph_file(), feature_file()}) {
    for (std::size_t size = 0; size < good.size(); ++size) {
      const bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_EQ(opening(cut).code, error_kind::truncated) << size;
    }
    bytes longer = good;
    longer.push_back(std::byte{0});
    expect_refused(opening(longer), error_kind::malformed, 16);
  }
}

TEST(native_serializer, names_the_byte_of_each_fault) {
  const bytes good = feature_file();
  ASSERT_EQ(opening(changed(good, 56, std::uint64_t{0})), hg::status::ok)
      << "the digest is repaired";
  expect_refused(opening(changed(good, 0, std::uint8_t{0})), error_kind::malformed, 0);
  expect_refused(opening(changed(good, 8, std::uint32_t{2})), error_kind::unsupported, 8);
  expect_refused(opening(changed(good, 12, std::uint32_t{3})), error_kind::malformed, 12);
  expect_refused(opening(changed(good, 24, std::uint64_t{63})), error_kind::malformed, 24);
  expect_refused(opening(changed(good, 24, ~std::uint64_t{0})), error_kind::malformed, 24);
  expect_refused(opening(changed(good, 32, ~std::uint64_t{0})), error_kind::malformed, 32);
  expect_refused(opening(changed(good, 32, std::uint64_t{1})), error_kind::malformed,
                 64 + 24 + 16 + 8);
  // The first entry starts at 64: dtype, rank, what, name, place, bytes, extents.
  expect_refused(opening(changed(good, 64, std::uint8_t{13})), error_kind::malformed, 64);
  expect_refused(opening(changed(good, 65, std::uint8_t{33})), error_kind::malformed, 65);
  expect_refused(opening(changed(good, 66, std::uint16_t{21})), error_kind::malformed, 66);
  expect_refused(opening(changed(good, 68, ~std::uint32_t{0})), error_kind::malformed, 64);
  expect_refused(opening(changed(good, 72, std::uint64_t{64})), error_kind::malformed, 72);
  expect_refused(opening(changed(good, 72, ~std::uint64_t{63})), error_kind::malformed, 72);
  expect_refused(opening(changed(good, 80, std::uint64_t{8})), error_kind::malformed, 80);
  expect_refused(opening(changed(good, 88, std::uint64_t{1} << 62)), error_kind::malformed, 88);
  expect_refused(opening(changed(good, 88, std::uint64_t{3})), error_kind::malformed, 80);
}

TEST(native_serializer, refuses_tables_that_end_early_and_bytes_after_the_last_section) {
  const bytes good = feature_file();
  constexpr std::size_t first_entry = 64, second_entry = first_entry + 48, table = 160;
  ASSERT_EQ(hg::load_le<std::uint64_t>(good.data() + 24), table);
  expect_refused(opening(changed(good, 32, std::uint64_t{3})), error_kind::malformed, table);
  // Without the zeros that fill up the last name.
  expect_refused(opening(changed(good, 24, std::uint64_t{table - 1})), error_kind::malformed,
                 second_entry);
  bytes longer = good;
  longer.push_back(std::byte{0});
  expect_refused(opening(changed(longer, 16, std::uint64_t{longer.size()})), error_kind::malformed,
                 good.size());
}

TEST(native_serializer, knows_its_files_by_their_first_eight_bytes) {
  const bytes good = feature_file();
  EXPECT_TRUE(hg::native::is_native(good));
  EXPECT_TRUE(hg::native::is_native(std::span(good).first(8)));
  EXPECT_FALSE(hg::native::is_native(std::span(good).first(7)));
  EXPECT_FALSE(hg::native::is_native(std::span(good).subspan(1)));
}

TEST(native_serializer, wants_graphs_where_graphs_are_and_arrays_where_arrays_are) {
  expect_refused(features(graph_file()), error_kind::malformed, 12);
  EXPECT_EQ(structure(feature_file()), hg::status::malformed);
  EXPECT_EQ(structure(changed(feature_file(), 12, std::uint32_t{1})), hg::status::malformed);
}

TEST(native_serializer, wants_each_array_of_the_graph_once_and_of_its_length) {
  const bytes good = graph_file({static_cast<std::uint8_t>(hg::sparse_format::coo)});
  ASSERT_EQ(structure(good), hg::status::ok);
  EXPECT_EQ(structure(changed(good, 40, std::uint64_t{4})), hg::status::malformed);
  EXPECT_EQ(structure(changed(good, 40, ~std::uint64_t{0})), hg::status::malformed);
  EXPECT_EQ(structure(changed(good, 48, std::uint64_t{2})), hg::status::malformed);
  EXPECT_EQ(structure(changed(good, 48, ~std::uint64_t{0})), hg::status::malformed);
  EXPECT_EQ(structure(changed(good, 66, static_cast<std::uint16_t>(column::coo_target))),
            hg::status::malformed);  // twice
  EXPECT_EQ(structure(changed(good, 66, static_cast<std::uint16_t>(column::csr_targets))),
            hg::status::malformed);  // csr in parts
  EXPECT_EQ(structure(changed(good, 66, static_cast<std::uint16_t>(column::node_feature))),
            hg::status::malformed);
  EXPECT_EQ(structure(changed(good, 64, static_cast<std::uint8_t>(hg::dtype::float32))),
            hg::status::malformed);
  const std::size_t inner_node = 64 + 48 + 48 + 40;
  ASSERT_EQ(good[inner_node], static_cast<std::byte>(hg::dtype::uint8));
  EXPECT_EQ(structure(changed(good, inner_node, static_cast<std::uint8_t>(hg::dtype::boolean))),
            hg::status::malformed);
}

TEST(native_serializer, wants_the_graph_in_one_format_at_least) {
  hg::part_layout part;
  part.files = {
      hg::native::detail::layout_file("graph.hgp", hg::native::file_kind::graph, 3, 3, {})};
  const bytes file = small_part_files(part)["graph.hgp"];
  EXPECT_EQ(opening(file), hg::status::ok);
  EXPECT_EQ(structure(file), hg::status::malformed);
}

TEST(native_serializer, wants_names_that_differ) {
  hg::part_description part = small_part({});
  part.node_features[1].key = "user/x";
  const bytes good = small_part_files(hg::native_serializer{}.layout(part))["node_feats.hgp"];
  ASSERT_EQ(features(good), hg::status::ok);
  // The first entry, "user/w" of rank 2, takes 48 bytes; the second's name stands behind 24 bytes
  // and one extent.
  EXPECT_EQ(features(changed(good, 64 + 48 + 24 + 8 + 5, static_cast<std::uint8_t>('w'))),
            hg::status::malformed);
}

TEST(native_serializer, leaves_contents_to_their_check) {
  const bytes good = graph_file();
  const auto part = hg::native_serializer{}.read_structure({good, nullptr}, "x");
  const auto at = static_cast<std::size_t>(part.coo->source.bytes().data() - good.data());
  const bytes bad = changed(good, at, std::int32_t{7});
  EXPECT_EQ(structure(bad), hg::status::ok);
  const auto found = hg::check_structure(
      hg::native_serializer{}.read_structure({bad, nullptr}, "x"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->what, column::coo_source);
}

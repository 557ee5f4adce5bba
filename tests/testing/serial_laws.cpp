// SPDX-License-Identifier: BSL-1.0
#include <halograph/adapters/nlohmann_json.hpp>
#include <halograph/serial/dgl/serializer.hpp>
#include <halograph/serial/native.hpp>
#include <halograph/testing/archetypes.hpp>
#include <halograph/testing/serial_laws.hpp>

#include <gtest/gtest.h>
#include <support/one_file_format.hpp>
#include <support/temporary_folder.hpp>

#include <string>
#include <vector>

namespace hg = halograph;
namespace json = halograph::json;
namespace laws = halograph::laws;
namespace archetype = halograph::archetype;

namespace {

void expect_broken(const laws::verdict& verdict, const std::string& why) {
  EXPECT_FALSE(verdict) << "must be broken: " << why;
  EXPECT_NE(verdict.why.find(why), std::string::npos) << verdict.why;
}
void expect_holds(const laws::verdict& verdict) { EXPECT_TRUE(verdict) << verdict.why; }

hg::status parse(std::string_view text, json::value& out) {
  return hg::nlohmann_codec{}.parse(text, out);
}

TEST(json_codec_law, holds_for_the_adapter_and_the_archetype) {
  expect_holds(laws::json_codec(hg::nlohmann_codec{}));
  expect_holds(laws::json_codec(archetype::json_codec(parse)));
}

TEST(json_codec_law, names_each_breach) {
  expect_broken(laws::json_codec(archetype::json_codec(0)), "true\r\n is rejected with malformed");
  expect_broken(laws::json_codec(archetype::json_codec([](std::string_view text, json::value& out) {
                  const hg::status answer = parse(text, out);
                  std::int64_t whole = 0;
                  if (out.to_int(whole) && whole < 0)
                    out = static_cast<double>(whole);  // loses 64-bit integers
                  return answer;
                })),
                "-9223372036854775808 becomes");
  expect_broken(laws::json_codec(archetype::json_codec([](std::string_view text, json::value& out) {
                  return parse(text == "[1,]" ? "[1]" : text, out);
                })),
                "\"[1,]\" is not JSON and must be malformed, not ok");
  expect_broken(laws::json_codec(archetype::json_codec([](std::string_view text, json::value& out) {
                  const hg::status answer = parse(text, out);
                  return answer ? answer : answer.at(answer.position + 1);
                })),
                "beyond its end");
  expect_broken(laws::json_codec(archetype::json_codec([](std::string_view text, json::value& out) {
                  return text.size() > 1000 ? hg::status::ok : parse(text, out);
                })),
                "[[[... (100000 bytes)");
}

TEST(file_opener_law, holds_for_read_files_and_names_each_breach) {
  const hg::testing::temporary_folder folder;
  const std::string path = folder("here"), missing = folder("nowhere");
  const std::vector<std::byte> content(5, std::byte{7}), other(4, std::byte{7});
  hg::file_sink sink = hg::file_sink::create(path, content.size());
  ASSERT_TRUE(sink.write_at(0, content));
  sink.close();
  expect_holds(laws::file_opener(hg::read_files{}, path, content, missing));
  expect_broken(laws::file_opener(hg::read_files{}, path, other, missing),
                "4 bytes are not the 5 bytes that were opened");
  expect_broken(laws::file_opener(hg::read_files{}, missing, content, missing), "cannot be opened");
  expect_broken(laws::file_opener(archetype::file_opener(content), path, content, missing),
                "a missing file must throw");
  const auto vague = [&](const std::string& name) -> hg::file_bytes {
    if (name == missing) hg::raise(hg::error_kind::not_found, "no such file");
    return {content, {}};
  };
  expect_broken(laws::file_opener(vague, path, content, missing), "must name it as where().file");
}

TEST(serializer_law, holds_for_the_formats_and_the_archetype) {
  expect_holds(laws::serializer(hg::dgl_serializer{}));
  expect_holds(laws::serializer(hg::native_serializer{}));
  expect_holds(laws::serializer(archetype::serializer(0)));
  expect_holds(laws::serializer(hg::testing::one_file_format{}));
}

struct careless {
  enum {
    nameless,
    overlaps,
    one_name,
    loses_a_role,
    forgets_ids,
    swaps_edges,
    no_csr,
    loses_a_feature,
    trusts,
    blames_nobody,
    grows
  } fault;
  mutable unsigned layouts = 0;
  hg::native_serializer good{};
  std::string_view name() const { return fault == nameless ? "" : "careless"; }
  hg::part_layout layout(const hg::part_description& plan) const {
    hg::part_layout made = good.layout(plan);
    if (fault == overlaps) made.files[0].sections[1].offset = made.files[0].sections[0].offset;
    if (fault == one_name) made.files[1].name = made.files[0].name;
    if (fault == loses_a_role) made.original_nodes_file.clear();
    if (fault == grows) made.files[0].bytes += layouts++;
    return made;
  }
  hg::loaded_structure read_structure(const hg::file_bytes& bytes, const std::string& file) const {
    hg::loaded_structure part;
    if (fault == trusts) {
      try {
        return good.read_structure(bytes, file);
      } catch (const hg::error&) {
        return {};
      }
    }
    if (fault == blames_nobody) {
      try {
        return good.read_structure(bytes, file);
      } catch (const hg::error& problem) {
        hg::raise(problem.code(), "something is wrong");
      }
    }
    part = good.read_structure(bytes, file);
    if (fault == forgets_ids) part.node_columns.erase(part.node_columns.begin());
    if (fault == swaps_edges && part.coo) std::swap(part.coo->source, part.coo->target);
    if (fault == no_csr) part.csr.reset();
    return part;
  }
  std::vector<hg::named_tensor> read_features(const hg::file_bytes& bytes,
                                              const std::string& file) const {
    auto all = good.read_features(bytes, file);
    if (fault == loses_a_feature && !all.empty()) all.pop_back();
    return all;
  }
};

TEST(serializer_law, names_each_breach) {
  expect_broken(laws::serializer(careless{careless::nameless}), "name() must not be empty");
  expect_broken(laws::serializer(careless{careless::overlaps}), "overlaps or leaves the file");
  expect_broken(laws::serializer(careless{careless::one_name}), "two files have the name");
  expect_broken(laws::serializer(careless{careless::loses_a_role}), "a role names the file \"\"");
  expect_broken(laws::serializer(careless{careless::forgets_ids}),
                "does not give the column _ID of nodes (formats coo)");
  expect_broken(laws::serializer(careless{careless::swaps_edges}),
                "does not give the coo sources 2 0 1");
  expect_broken(laws::serializer(careless{careless::no_csr}), "gives no structure (formats csr)");
  expect_broken(laws::serializer(careless{careless::loses_a_feature}),
                "read_features does not return");
  expect_broken(laws::serializer(careless{careless::trusts}), "half a graph file must be rejected");
  expect_broken(laws::serializer(careless{careless::blames_nobody}),
                "must name it as where().file");
  expect_broken(laws::serializer(careless{careless::grows}), "the layout differs the second time");
}

struct sloppy_tables : archetype::tables {
  enum fault { nothing, skips_rows, loses_the_shape, other_values, wrong_rows } wrong = nothing;
  sloppy_tables(archetype::tables::all_tables& all, fault f) : archetype::tables(all), wrong(f) {}
  hg::table_info examine(const std::string& path) const {
    auto info = archetype::tables::examine(path);
    if (wrong == loses_the_shape) info.shape.reset();
    if (wrong == wrong_rows) info.rows += 1;
    return info;
  }
  template <class Sink>
  void read(const std::string& path, const hg::table_info& info, std::uint64_t first,
            std::uint64_t last, Sink&& sink) const {
    archetype::tables::read(path, info, first,
                            wrong == skips_rows && last > first ? last - 1 : last, sink);
  }
  template <class Source>
  void write(const std::string& path, std::span<const hg::table_column> columns,
             const std::optional<std::string>& shape, std::uint64_t rows, Source&& source) const {
    archetype::tables::write(
        path, columns, shape, rows,
        [&](std::uint64_t first, std::uint64_t count, std::span<const std::span<std::byte>> out) {
          source(first, count, out);
          if (wrong == other_values) out[2][0] = std::byte{99};
        });
  }
};

TEST(tables_law, holds_for_the_archetype_and_names_each_breach) {
  archetype::tables::all_tables all;
  expect_holds(laws::tables(archetype::tables(all), "t"));
  using faults = sloppy_tables;
  expect_holds(laws::tables(sloppy_tables(all, faults::nothing), "t"));
  expect_broken(laws::tables(sloppy_tables(all, faults::skips_rows), "t"),
                "read gives 4 of rows 0 to 5");
  expect_broken(laws::tables(sloppy_tables(all, faults::loses_the_shape), "t"),
                "does not return the shape");
  expect_broken(laws::tables(sloppy_tables(all, faults::other_values), "t"),
                "row 0 of vector is not read as it was written");
  expect_broken(laws::tables(sloppy_tables(all, faults::wrong_rows), "t"),
                "does not return the counts");
}

}  // namespace

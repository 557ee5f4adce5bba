// SPDX-License-Identifier: BSL-1.0
// halograph restore CONFIG.json --rows DIR --out FILE.npy: puts the rows of all parts back into the
// order of the input.
#include "command.hpp"
#include "flag_values.hpp"
#include "formats.hpp"
#include "inputs.hpp"
#include "keep_input.hpp"

#include <halograph/folder/restore.hpp>
#include <halograph/serial/text/readable.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace halograph::cli {

namespace {

struct restore_flags {
  std::string config{}, rows{}, out{}, type{};
  memory_flags memory{};
};

}  // namespace

action add_restore(flag_set& app) {
  auto given = std::make_shared<restore_flags>();
  app.example("halograph restore parts/papers.json --rows out/ -o embeddings.npy",
              "rows that trainers wrote part by part, by original ID");
  app.example("halograph restore parts/papers.json --rows out/ --type author -o authors.npy",
              "those of one node type");
  app.footer(
      "Row i of part<N>.npy belongs to the i-th inner node (or edge) of the type in part N, the order of the part's own\n"
      "features. Rows of nodes can be restored unless the folder was made with --no-mapping, rows of edges only if it was made\n"
      "with --save-mapping or --store-orig-ids.");
  bind_config(app, given->config);
  app.section("Input and output");
  app.add_option("--rows", given->rows, "folder with part<N>.npy or <type>/part<N>.npy")
      .required()
      .type_name("DIR");
  app.add_option("--out", given->out, "the output file, written atomically")
      .required()
      .type_name("FILE.npy");
  app.section("Which rows");
  app.add_option("--type", given->type,
                 "node type, or edge type as source:relation:target (default: the only node type)")
      .type_name("TYPE");
  add_memory(app, given->memory);
  return [given](const context&) {
    if (given->out.empty() || given->rows.empty())
      throw usage_error("--rows and --out must not be empty");
    guard_inputs(given->out, {});
    const auto config = open_partition(given->config);
    const auto of = chosen_type(config, given->type);
    const std::uint64_t need = restore_memory(config, of);
    given->memory.require(need, "restoring these rows", given->config);
    const auto made = restore_rows(
        config, of,
        [&](std::size_t part) { return rows_file(given->rows, config.schema, of, part); },
        given->out, known_access(), show_progress());
    answer done;
    json::value shape{json::array{}};
    for (const auto extent : made.shape) shape.push(extent);
    const std::string type = type_name(config.schema, of);
    done.details.set("config", given->config);
    done.details.set("out", given->out);
    done.details.set("need", json::object{{"memory_bytes", need}});
    done.details.set("type", type);
    done.details.set("dtype", name(made.type));
    done.details.set("shape", std::move(shape));
    done.details.set("bytes", made.bytes);
    done.text = given->out + ": " + counted(made.shape[0], "row") + " of " + type + ", " +
                std::string(name(made.type)) + " " + to_string(made.shape) + ", " +
                readable::bytes(made.bytes) + ", in original order\n";
    return done;
  };
}

}  // namespace halograph::cli

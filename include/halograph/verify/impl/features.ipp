// SPDX-License-Identifier: BSL-1.0
/// @file features.ipp
/// Bodies of the plain functions of verify/features.hpp.
/// Layer: verify. Words: README.md.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/function_ref.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/folder/load.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/tensor.hpp>
#include <halograph/verify/features.hpp>
#include <halograph/verify/findings.hpp>
#include <halograph/verify/input_graph.hpp>
#include <halograph/verify/state.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace halograph::detail {

HALOGRAPH_INLINE void feature_agreement::compare(const verify_context& state,
                                                 finding_list& findings, std::size_t p,
                                                 bool of_nodes, std::size_t t,
                                                 const std::string& feature_name, dtype type,
                                                 const tensor_shape& row, std::uint64_t rows,
                                                 const std::string& file) {
  auto& seen = seen_features_[{of_nodes, t, feature_name}];
  ++seen.parts;
  // DGL's dispatch pipeline writes float32 where a part has no row.
  const auto unsure = [](dtype of, std::uint64_t many) {
    return many == 0 && of == dtype::float32;
  };
  if (seen.parts == 1 || (unsure(seen.type, seen.rows) && !(seen.type == type && rows == 0))) {
    const std::size_t parts = seen.parts;
    seen = {type, row, p, rows, parts};
    return;
  }
  if (seen.type == type && seen.row == row) return;
  if (unsure(type, rows) && seen.type != type) return;
  findings.add(
      check_kind::features, file,
      concat({"feature ", graph_schema::quoted(feature_name), " of type ",
              state.type_name(of_nodes, t), " has dtype ", name(type), " and rows of shape ",
              to_string(row), "; in part ", std::uint64_t{seen.part}, " it has ", name(seen.type),
              " and ", to_string(seen.row)}));
}

HALOGRAPH_INLINE void feature_agreement::check_features_agree(const verify_context& state,
                                                              finding_list& findings,
                                                              std::size_t first,
                                                              std::size_t last) const {
  if (parts_with_features != last - first) return;
  for (const auto& [key, seen] : seen_features_) {
    if (seen.parts == last - first) continue;
    const auto& [of_nodes, t, feature_name] = key;
    findings.add(check_kind::features, state.config.path,
                 concat({"feature ", graph_schema::quoted(feature_name), " of type ",
                         state.type_name(of_nodes, t), " is in ", std::uint64_t{seen.parts},
                         " parts of ", std::uint64_t{last - first}, "; all must have it"}));
  }
}

HALOGRAPH_INLINE void feature_agreement::check_trainers(finding_list& findings) const {
  const auto within = [](const trainer_range& range, std::uint64_t trainers) {
    const auto begin = range.part * trainers;
    return range.low >= 0 && static_cast<std::uint64_t>(range.low) >= begin &&
           static_cast<std::uint64_t>(range.high) < begin + trainers;
  };
  if (trainer_ranges.empty()) return;
  // Try the T that some part allows exactly: one that fits every part is among them.
  std::uint64_t best = 0;
  std::size_t most = 0;
  const auto attempt = [&](std::uint64_t trainers) {
    std::size_t suited = 0;
    for (const auto& range : trainer_ranges) suited += within(range, trainers) ? 1u : 0u;
    if (trainers != 0 && suited > most) {
      most = suited;
      best = trainers;
    }
  };
  for (const auto& range : trainer_ranges) {
    if (range.high < 0) continue;
    attempt(static_cast<std::uint64_t>(range.high) / (range.part + 1) + 1);
    if (range.part != 0 && range.low > 0)
      attempt(static_cast<std::uint64_t>(range.low) / range.part);
  }
  for (const auto& range : trainer_ranges) {
    if (best != 0 && within(range, best)) continue;
    findings.add(
        check_kind::features, range.file,
        concat({"trainer_id of part ", std::uint64_t{range.part}, " reaches from ", range.low,
                " to ", range.high, "; with ", best, " trainers per machine it must be ",
                range.part * best, " to ", (range.part + 1) * best - 1}));
  }
}

HALOGRAPH_INLINE void feature_check::check_features(std::size_t p, const open_part* part,
                                                    const input_graph* input) {
  partition_features all;
  std::string files[2];
  try {
    const auto& paths = paths_of(state_.config, p);
    files[0] = paths.node_features.empty() ? state_.config.path
                                           : state_.config.resolve(paths.node_features);
    files[1] = paths.edge_features.empty() ? state_.config.path
                                           : state_.config.resolve(paths.edge_features);
    all = load_partition_feats(state_.config, p, state_.files, state_.formats);
  } catch (const error& problem) {
    findings_.add(check_kind::features, state_.config.path, problem);
    return;
  }
  findings_.later([&shared = shared_](finding_list&) { ++shared.parts_with_features; });
  for (const bool of_nodes : {true, false}) {
    const std::string& file = files[of_nodes ? 0 : 1];
    const auto& tensors = of_nodes ? all.nodes : all.edges;
    for (const auto& one : tensors) {
      const auto slash = one.name.find('/');
      const auto t = state_.find_type(of_nodes, std::string_view(one.name).substr(0, slash));
      const auto who = "feature " + graph_schema::quoted(one.name);
      if (!t) {
        findings_.add(
            check_kind::features, file,
            concat({who, " does not name a ", state_.noun(of_nodes), " type of the config"}));
        continue;
      }
      const std::uint64_t rows = (of_nodes ? state_.nodes : state_.edges).count(p, *t);
      if (one.value.rank() == 0 ||
          (one.value.rows() != rows &&
           !(state_.edges.mapped() && !of_nodes && state_.config.cut_edges_dropped))) {
        findings_.add(
            check_kind::features, file,
            concat({who, " has shape ", to_string(one.value.shape()), "; it must have ", rows,
                    " rows, one for each inner ", state_.noun(of_nodes), " of its type"}));
        continue;
      }
      const auto feature_name = std::string_view(one.name).substr(slash + 1);
      findings_.later(
          [&state = state_, &shared = shared_, p, of_nodes, type = *t,
           called = std::string(feature_name), kind = one.value.type(),
           row = tensor_shape(one.value.row_shape().begin(), one.value.row_shape().end()),
           there = one.value.rows(), file](finding_list& told) {
            shared.compare(state, told, p, of_nodes, type, called, kind, row, there, file);
          });
      if (input != nullptr && state_.truth_known)
        compare_feature(p, of_nodes, *t, feature_name, one.value, file, *input);
    }
    if (input != nullptr && state_.truth_known) {
      const auto& wanted = of_nodes ? input->features.nodes : input->features.edges;
      for (const auto& feature : wanted) {
        if (feature.name == "_ID" || feature.name == (of_nodes ? "inner_node" : "inner_edge"))
          continue;  // never stored
        const auto type = of_nodes ? input->schema.node_types()[feature.type]
                                   : input->schema.edge_types()[feature.type].str();
        const auto t = state_.find_type(of_nodes, type);
        const bool there = std::any_of(tensors.begin(), tensors.end(), [&](const auto& one) {
          const auto slash = one.name.find('/');
          return std::string_view(one.name).substr(slash + 1) == feature.name &&
                 state_.find_type(of_nodes, std::string_view(one.name).substr(0, slash)) == t;
        });
        if (!there) {
          findings_.add(check_kind::features, file,
                        concat({"feature ", graph_schema::quoted(concat({type, "/", feature.name})),
                                " of the input is missing"}));
        }
      }
    }
  }
  note_trainers(p, part, all, files);
}

HALOGRAPH_INLINE void feature_check::compare_feature(std::size_t p, bool of_nodes, std::size_t t,
                                                     std::string_view feature_name,
                                                     const tensor& value, const std::string& file,
                                                     const input_graph& input) {
  const auto type = static_cast<type_id>(of_nodes ? state_.input_node_type[t]
                                                  : state_.input_edge_type[t]);
  const auto* wanted = of_nodes ? input_graph::find(input.features.nodes, type, feature_name)
                                : input_graph::find(input.features.edges, type, feature_name);
  if (wanted == nullptr) {
    if (feature_name != "trainer_id")
      findings_.later([&shared = shared_](finding_list&) { shared.unknown = true; });
    return;
  }
  const auto who = concat(
      {"feature ", graph_schema::quoted(feature_name), " of type ", state_.type_name(of_nodes, t)});
  const auto& rows = wanted->rows;
  const bool empty_as_dispatched = value.rows() == 0 && value.type() == dtype::float32;
  const auto row_shape = rows.row_shape();
  if (!(stored_dtype(rows.type()) == stored_dtype(value.type()) &&
        std::equal(row_shape.begin(), row_shape.end(), value.row_shape().begin(),
                   value.row_shape().end()))) {
    if (empty_as_dispatched && rows.type() != dtype::float32) return;
    findings_.add(check_kind::features, file,
                  concat({who, " has dtype ", name(value.type()), " and rows of shape ",
                          to_string(value.row_shape()), "; the input's has ",
                          name(stored_dtype(rows.type())), " and ", to_string(row_shape)}));
    return;
  }
  const std::size_t width = value.row_bytes();
  if (width == 0) return;
  const auto& space = of_nodes ? state_.nodes : state_.edges;
  const std::size_t at_once = std::max<std::size_t>(1, (std::size_t{1} << 20) / width);
  std::vector<std::uint64_t> asked;
  std::vector<std::byte> gathered;
  std::uint64_t cursor = 0, row = 0, passed = 0;
  for (std::uint64_t done = 0; done < space.count(p, t); done += passed) {
    asked.clear();
    passed = ids_.originals(p, of_nodes, t, done, at_once, cursor, asked);
    gathered.resize(asked.size() * width);
    if (!rows.gather(std::span<const std::uint64_t>(asked), std::span(gathered)))
      raise(error_kind::internal, "an input feature lacks a row");
    if (row + asked.size() > value.rows()) break;
    const std::byte* stored = value.bytes().data() + row * width;
    if (asked.empty() || std::memcmp(stored, gathered.data(), gathered.size()) == 0) {
      row += asked.size();
      continue;
    }
    for (std::size_t i = 0; i < asked.size(); ++i) {
      std::size_t byte = 0;
      while (byte < width && stored[i * width + byte] == gathered[i * width + byte]) ++byte;
      if (byte == width) continue;
      findings_.add(check_kind::features, file, "feature row", [&] {
        return concat({who, ", row ", row + i, ", element ",
                       std::uint64_t{byte / item_bytes(value.type())},
                       ", differs from the input's ", state_.noun(of_nodes), " ", asked[i]});
      });
    }
    row += asked.size();
  }
  if (row != value.rows())
    findings_.add(check_kind::features, file,
                  concat({who, " has ", value.rows(), " rows; it must have ", row}));
}

HALOGRAPH_INLINE void feature_check::note_trainers(std::size_t p, const open_part* part,
                                                   const partition_features& all,
                                                   const std::string (&files)[2]) {
  std::vector<const tensor*> of_node(state_.nodes.types(), nullptr),
      of_edge(state_.edges.types(), nullptr);
  const auto collect = [&](bool of_nodes, const std::vector<named_tensor>& tensors,
                           std::vector<const tensor*>& out) {
    for (const auto& one : tensors) {
      const auto slash = one.name.find('/');
      if (std::string_view(one.name).substr(slash + 1) != "trainer_id") continue;
      const auto t = state_.find_type(of_nodes, std::string_view(one.name).substr(0, slash));
      if (t && one.value.rank() == 1 && one.value.type() == dtype::int64 &&
          one.value.rows() == (of_nodes ? state_.nodes : state_.edges).count(p, *t)) {
        out[*t] = &one.value;
      }
    }
    return !out.empty() &&
           std::all_of(out.begin(), out.end(), [](const tensor* one) { return one != nullptr; });
  };
  const bool nodes_have = collect(true, all.nodes, of_node),
             edges_have = collect(false, all.edges, of_edge);
  if (!nodes_have || !edges_have || state_.trainers_are_input)
    return;                           // a user's own feature of that name
  std::vector<std::int64_t> trainer;  // of inner nodes, by local ID
  for (std::size_t t = 0; t < state_.nodes.types(); ++t) {
    for (std::uint64_t i = 0; i < of_node[t]->rows(); ++i)
      trainer.push_back(of_node[t]->integer(static_cast<std::size_t>(i)));
  }
  if (!trainer.empty()) {
    const auto [low, high] = std::minmax_element(trainer.begin(), trainer.end());
    findings_.later([&shared = shared_, range = trainer_range{p, *low, *high, files[0]}](
                        finding_list&) { shared.trainer_ranges.push_back(range); });
  }
  if (!state_.assigned.empty() && state_.truth_known) {
    std::size_t local = 0;
    for (std::size_t t = 0; t < state_.nodes.types(); ++t) {
      const std::vector<part_id> assigned = ids_.assigned(p, t);
      for (std::size_t i = 0; i < assigned.size(); ++i, ++local) {
        const auto wanted = static_cast<std::int64_t>(assigned[i]);
        if (trainer[local] == wanted) continue;
        findings_.add(check_kind::features, files[0], "node trainer", [&] {
          return concat({"trainer_id, row ", std::uint64_t{i}, " of type ",
                         state_.node_type_name(t), " is ", trainer[local], "; the assignment says ",
                         wanted});
        });
      }
    }
  }
  if (part == nullptr) return;
  std::uint64_t local = 0;
  for (std::size_t r = 0; r < state_.edges.types(); ++r) {
    for (std::uint64_t i = 0; i < of_edge[r]->rows(); ++i, ++local) {
      const auto target = static_cast<std::size_t>(at(&part->ends.target, local));
      const std::int64_t value = of_edge[r]->integer(static_cast<std::size_t>(i));
      if (value == trainer[target]) continue;
      findings_.add(check_kind::features, files[1], "edge trainer", [&] {
        return concat({"trainer_id, row ", i, " of type ", state_.edge_type_name(r), " is ", value,
                       "; its target, node ", std::uint64_t{target}, ", has ", trainer[target]});
      });
    }
  }
}

}  // namespace halograph::detail

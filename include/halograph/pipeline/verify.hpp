// SPDX-License-Identifier: BSL-1.0
/// @file verify.hpp
/// Prove that a partition folder is what its config says, and what its input graph makes of it.
/// Layer: pipeline. Words: README.md.
///
/// Written from the format's rules alone: who owns what, what a HALO holds and where an edge leads are found
/// here a second time, by other means than those that write folders.
///
/// | check | proves |
/// | --- | --- |
/// | book | ranges tile all IDs part by part, type by type; the library's book answers as they say |
/// | digests | files are those of the manifest, where there is one |
/// | mapping | original IDs are a permutation of each type |
/// | structure | files are whole; IDs in range; formats of the same edges; columns there, of a legal dtype |
/// | nodes, edges | inner first, `_ID` without gaps; flags, owners, types, ends as book and schema say |
/// | crossing edges | an edge held by several parts leads the same way in all of them |
/// | halo | HALO nodes and edges are those of the hops that the config says, no more and no less |
/// | features | a row for each inner node or edge; the same dtypes and row shapes in all parts |
/// | input | each input edge is inner in one part with its ends; features are the input's, bit for bit |
/// | assignment | owners are those assigned |
#pragma once

#include <halograph/core/digest.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/pipeline/config.hpp>
#include <halograph/pipeline/dataset.hpp>
#include <halograph/pipeline/load_partition.hpp>
#include <halograph/pipeline/report.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/file.hpp>
#include <halograph/serial/folder.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/structure.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace halograph {

/// What verify_partition looks at, in this order.
enum class check_kind : std::uint8_t {
  book, digests, mapping, structure, nodes, edges, crossing_edges, halo, features, input, assignment
};
inline constexpr std::size_t check_kinds = 11;

/// The check's name, as `--json` prints it.
constexpr std::string_view name(check_kind kind) noexcept {
  constexpr std::string_view names[check_kinds] = {"book", "digests", "mapping", "structure", "nodes", "edges",
                                                   "crossing edges", "halo", "features", "input", "assignment"};
  return names[static_cast<std::size_t>(kind)];
}

/// Something wrong: in which file, where in it, and what would be right.
struct finding {
  check_kind check = check_kind::structure;
  std::string file{};
  std::string sentence{};
};

/// What came of one check.
struct check_outcome {
  bool done = false;           ///< false: not asked for, or not possible (verification::notes says why)
  std::uint64_t findings = 0;  ///< all that it found
};

/// What verify_partition answers.
struct verification {
  std::size_t parts = 0;       ///< looked at
  std::uint64_t nodes = 0;     ///< of the whole graph
  std::uint64_t edges = 0;
  std::uint64_t count = 0;     ///< all findings
  std::vector<finding> findings{};  ///< the first ones, as many as asked for; at most three alike
  std::array<check_outcome, check_kinds> checks{};
  std::vector<std::string> notes{};  ///< what could not be proven, and why

  bool ok() const noexcept { return count == 0; }
  const check_outcome& operator[](check_kind kind) const noexcept { return checks[static_cast<std::size_t>(kind)]; }
};

/// How to verify.
struct verify_options {
  std::optional<std::size_t> part{};  ///< look at this part alone
  std::size_t most_findings = 100;    ///< sentences to keep; all findings are counted
  /// [V] against an input: the part (or trainer) of each node by the input's homogenised IDs, or empty
  std::span<const part_id> assignment{};
  std::size_t trainers_per_machine = 0;  ///< T: the assignment names trainers, part = trainer / T; 0: find out
  progress_callback on_progress{};
};

namespace detail {

/// Collects findings: counts all, keeps the first ones.
class finding_list {
 public:
  finding_list(verification& out, std::size_t most) : out_(out), most_(most) {}

  /// @param make  gives the sentence, called only where it is kept
  template <class Make>
  void add(check_kind kind, const std::string& file, const char* fault, const Make& make) {
    ++out_.count;
    ++out_.checks[static_cast<std::size_t>(kind)].findings;
    auto& alike = alike_[{file, fault}];
    if (++alike > 3 || out_.findings.size() >= most_) return;
    out_.findings.push_back({kind, file, make()});
  }
  void add(check_kind kind, const std::string& file, std::string sentence) {
    const std::string key = sentence;
    add(kind, file, key.c_str(), [&] { return std::move(sentence); });
  }
  /// What a reader raised. @param file  where its error names none
  void add(check_kind kind, const std::string& file, const error& problem) {
    const auto& where = problem.where();
    std::string place;
    if (where.line) place += "line " + std::to_string(*where.line) + ": ";
    if (where.byte) place += "byte " + std::to_string(*where.byte) + ": ";
    add(kind, where.file.empty() ? file : where.file, place + problem.message());
  }
  void done(check_kind kind) { out_.checks[static_cast<std::size_t>(kind)].done = true; }
  void note(std::string sentence) { out_.notes.push_back(std::move(sentence)); }
  std::uint64_t count() const noexcept { return out_.count; }

 private:
  verification& out_;
  std::size_t most_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> alike_{};
};

/// Part and type of each ID of one space, from ranges that tile it or from one part per ID.
class id_space {
 public:
  /// @param ranges  [T][P] @return false and a sentence where they do not tile [0, total)
  bool bind(const std::vector<std::vector<id_range>>& ranges, std::size_t parts, std::uint64_t total, const char* noun,
            std::string& sentence) {
    parts_ = parts;
    types_ = ranges.size();
    begins_.assign(1, 0);
    for (std::size_t p = 0; p < parts; ++p) {
      for (std::size_t t = 0; t < types_; ++t) {
        const id_range range = ranges[t][p];
        if (range.begin != begins_.back()) {
          sentence = std::string(noun) + " range of type " + std::to_string(t) + " in part " + std::to_string(p) + " starts at " +
                     std::to_string(range.begin) + "; ranges leave no gap, so it must start at " + std::to_string(begins_.back());
          return false;
        }
        begins_.push_back(range.end);
      }
    }
    if (begins_.back() != total) {
      sentence = std::string(noun) + " ranges end at " + std::to_string(begins_.back()) + "; they must end at the number of " +
                 noun + "s, " + std::to_string(total);
      return false;
    }
    type_begin_.assign(types_ + 1, 0);
    for (std::size_t t = 0; t < types_; ++t) {
      std::uint64_t sum = 0;
      for (std::size_t p = 0; p < parts; ++p) sum += count(p, t);
      type_begin_[t + 1] = type_begin_[t] + sum;
    }
    return true;
  }
  /// @param owner   [n] part of each ID, types laid end to end  @param counts  [T]
  void bind(std::vector<part_id> owner, const std::vector<std::uint64_t>& counts, std::size_t parts) {
    parts_ = parts;
    types_ = counts.size();
    owner_ = std::move(owner);
    mapped_ = true;
    type_begin_.assign(1, 0);
    for (const auto n : counts) type_begin_.push_back(type_begin_.back() + n);
    counts_.assign(parts_ * types_, 0);
    for (std::size_t t = 0; t < types_; ++t) {
      for (auto i = static_cast<std::size_t>(type_begin_[t]); i < type_begin_[t + 1]; ++i) ++counts_[owner_[i] * types_ + t];
    }
  }

  bool mapped() const noexcept { return mapped_; }
  std::size_t types() const noexcept { return types_; }
  std::uint64_t size() const noexcept { return type_begin_.back(); }
  std::uint64_t size_of(std::size_t t) const noexcept { return type_begin_[t + 1] - type_begin_[t]; }
  /// First place of a type where types are laid end to end.
  std::uint64_t begin_of(std::size_t t) const noexcept { return type_begin_[t]; }
  std::uint64_t count(std::size_t p, std::size_t t) const noexcept {
    return mapped_ ? counts_[p * types_ + t] : begins_[p * types_ + t + 1] - begins_[p * types_ + t];
  }
  std::uint64_t count(std::size_t p) const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t t = 0; t < types_; ++t) sum += count(p, t);
    return sum;
  }
  /// First ID of a part's cell. @pre !mapped()
  std::uint64_t first(std::size_t p, std::size_t t = 0) const noexcept { return begins_[p * types_ + t]; }
  /// @pre id < size()
  part_id part(std::uint64_t id) const noexcept {
    return mapped_ ? owner_[static_cast<std::size_t>(id)] : static_cast<part_id>(cell(id) / types_);
  }
  std::size_t type(std::uint64_t id) const noexcept {
    if (!mapped_) return cell(id) % types_;
    return static_cast<std::size_t>(std::upper_bound(type_begin_.begin(), type_begin_.end(), id) - type_begin_.begin()) - 1;
  }
  /// The IDs of a part and type, ascending: those from place `from` on, `most` at most.
  template <class Id>
  void ids(std::size_t p, std::size_t t, std::uint64_t from, std::size_t most, std::vector<Id>& out,
           std::uint64_t& cursor) const {
    out.clear();
    if (!mapped_) {
      const std::uint64_t end = std::min<std::uint64_t>(count(p, t), from + most);
      for (std::uint64_t i = from; i < end; ++i) out.push_back(static_cast<Id>(first(p, t) + i));
      return;
    }
    if (from == 0) cursor = type_begin_[t];
    for (; cursor < type_begin_[t + 1] && out.size() < most; ++cursor) {
      if (owner_[static_cast<std::size_t>(cursor)] == p) out.push_back(static_cast<Id>(cursor));
    }
  }

 private:
  std::size_t cell(std::uint64_t id) const noexcept {
    return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), id) - begins_.begin()) - 1;
  }

  std::size_t parts_ = 0, types_ = 0;
  bool mapped_ = false;
  std::vector<std::uint64_t> begins_{0};      // [P*T+1]
  std::vector<part_id> owner_{};              // [n]
  std::vector<std::uint64_t> type_begin_{0};  // [T+1]
  std::vector<std::uint64_t> counts_{};       // [P*T]
};

/// One verification. Id holds every node and edge ID, and one value more.
template <class Id, class Files, class Formats>
class verifier {
 public:
  verifier(const partition_config& config, const verify_options& options, const Files& files, const Formats& formats,
           id_space nodes, id_space edges, verification& out, finding_list& findings)
      : config_(config), options_(options), files_(files), formats_(formats), nodes_(std::move(nodes)),
        edges_(std::move(edges)), out_(out), findings_(findings) {}

  /// @param input  a dataset, or nullptr
  template <class Dataset>
  void run(const Dataset* input) {
    const std::size_t first = options_.part.value_or(0), last = options_.part ? first + 1 : config_.num_parts;
    out_.parts = last - first;
    bool matched = false;
    if (input != nullptr) {
      findings_.done(check_kind::input);
      matched = match_types(*input);
    }
    check_digests(first, last);
    // Memory for all nodes and edges only where files or the input bear the config's numbers out.
    if (!options_.part && !matched && !plausible()) return;
    read_mapping(matched, first, last);
    if (matched) against(*input);
    usable_.assign(config_.num_parts, false);
    const bool whole = !truth_known_ && !options_.part;
    if (whole) {
      source_.assign(static_cast<std::size_t>(edges_.size()), none);
      target_.assign(static_cast<std::size_t>(edges_.size()), none);
    }
    findings_.done(check_kind::structure);
    findings_.done(check_kind::nodes);
    findings_.done(check_kind::edges);
    findings_.done(check_kind::features);
    for (std::size_t p = first; p < last; ++p) {
      if (options_.on_progress) options_.on_progress({"verify parts", p - first, last - first, "parts"});
      check_part(p, input);
      locate_changes(p);
    }
    if (options_.on_progress) options_.on_progress({"verify parts", last - first, last - first, "parts"});
    check_features_agree(first, last);
    check_trainers();
    if (unknown_features_) findings_.note("features that the input does not have are checked for shape alone");
    if (truth_known_ || (whole && std::all_of(usable_.begin(), usable_.end(), [](bool good) { return good; }))) {
      check_across(first, last);
    } else if (options_.part) {
      findings_.note("edges across parts and the extent of the HALO are not proven for one part alone; verify all parts, or against the input");
    } else {
      findings_.note("edges across parts and the extent of the HALO are not proven, since a part cannot be read");
    }
  }

 private:
  static constexpr Id none = static_cast<Id>(-1);

  /// Every inner node takes a byte or more of its part's graph file, every inner edge too.
  bool plausible() {
    std::uint64_t bytes = 0;
    for (std::size_t p = 0; p < config_.num_parts; ++p) {
      try {
        bytes += files_(config_.resolve(paths_of(config_, p).graph)).bytes.size();
      } catch (const error& problem) {
        findings_.done(check_kind::structure);
        findings_.add(check_kind::structure, config_.path, problem);
      }
    }
    if (nodes_.size() <= bytes && edges_.size() <= bytes) return true;
    findings_.note("nothing else is proven, since the parts' graph files have " + text(bytes) + " bytes for the config's " +
                   text(nodes_.size()) + " nodes and " + text(edges_.size()) + " edges");
    if (findings_.count() == 0) {
      findings_.add(check_kind::book, config_.path, "the ranges hold " + text(nodes_.size()) + " nodes and " + text(edges_.size()) +
                                                        " edges, but the parts' graph files have " + text(bytes) + " bytes");
    }
    return false;
  }

  // --- files ------------------------------------------------------------------------------------------

  /// A part's files: graph, features of nodes and edges, original IDs of nodes and edges; "" where there is none.
  std::array<std::string, 5> files_of(std::size_t p) const {
    if (p >= config_.parts.size()) return {};
    const auto& paths = config_.parts[p];
    return {paths.graph, paths.node_features, paths.edge_features, paths.original_nodes, paths.original_edges};
  }

  /// Hold files against the manifest that our own folders have.
  void check_digests(std::size_t first, std::size_t last) {
    const std::string path = config_.resolve(std::string(manifest_name));
    manifest made;
    try {
      const file_bytes content = files_(path);
      made = parse_manifest({reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()}, path);
    } catch (const error& problem) {
      if (problem.code() == errc::not_found) return;  // DGL writes none
      findings_.done(check_kind::digests);
      findings_.add(check_kind::digests, path, problem);
      return;
    }
    findings_.done(check_kind::digests);
    ours_ = true;
    std::vector<std::string> names;
    names.push_back(config_.path.substr(config_.folder().size()));
    if (!options_.part) {
      for (const auto* map : {&config_.node_map_file, &config_.edge_map_file}) {
        if (!map->empty()) names.push_back(*map);
      }
    }
    for (std::size_t p = first; p < last; ++p) {
      for (auto& file : files_of(p)) {
        if (!file.empty()) names.push_back(std::move(file));
      }
    }
    for (const auto& one : names) {
      const std::string file = config_.resolve(one);
      const auto* entry = made.find(one);
      if (entry == nullptr) {
        findings_.add(check_kind::digests, file, "the file is not listed in the folder's manifest");
        continue;
      }
      try {
        const file_bytes content = files_(file);
        if (content.bytes.size() == entry->bytes && digest64().update(content.bytes).value() == entry->digest) continue;
        changed_.insert(file);
        findings_.add(check_kind::digests, file, content.bytes.size() != entry->bytes
                                                     ? "the file has " + text(std::uint64_t{content.bytes.size()}) + " bytes; the manifest says " + text(entry->bytes)
                                                     : "the file is not as it was written: its digest differs from the manifest's");
      } catch (const error& problem) {
        findings_.add(check_kind::digests, file, problem);
      }
    }
  }

  /// Of changed files, name the first byte that is none of data and not what the format has there.
  void locate_changes(std::size_t p) {
    const auto roles = files_of(p);
    if (!ours_ || std::none_of(roles.begin(), roles.end(), [&](const auto& file) { return changed_.count(config_.resolve(file)) != 0; })) return;
    try {
      formats_.with(config_, [&](const auto& format) {
        const auto named = [&](const std::string& file) { return format.read_features(files_(config_.resolve(file)), file); };
        const loaded_structure graph = format.read_structure(files_(config_.resolve(roles[0])), roles[0]);
        part_plan plan;
        plan.part = static_cast<part_id>(p);
        plan.parts = static_cast<part_id>(config_.num_parts);
        plan.nodes = graph.nodes;
        plan.inner_nodes = nodes_.count(p);
        plan.edges = graph.edges;
        plan.inner_edges = edges_.count(p);
        plan.types = find_column(graph.node_columns, "_TYPE") != nullptr;
        plan.part_ids = find_column(graph.node_columns, "part_id") != nullptr;
        plan.original_ids = find_column(graph.node_columns, "orig_id") != nullptr;
        plan.formats.bits = static_cast<std::uint8_t>((graph.coo ? 1 : 0) | (graph.csr ? 2 : 0) | (graph.csc ? 4 : 0));
        for (const auto& one : named(roles[1])) plan.node_features.push_back({one.name, one.value.type(), one.value.shape()});
        for (const auto& one : named(roles[2])) plan.edge_features.push_back({one.name, one.value.type(), one.value.shape()});
        plan.mapping = !roles[3].empty();
        if (plan.mapping) {
          for (const auto& one : named(roles[3])) plan.original_nodes.push_back({one.name, one.value.rows()});
          for (const auto& one : named(roles[4])) plan.original_edges.push_back({one.name, one.value.rows()});
        }
        const part_layout layout = format.layout(plan);
        const std::string* names[] = {&layout.graph_file, &layout.node_feature_file, &layout.edge_feature_file,
                                      &layout.original_nodes_file, &layout.original_edges_file};
        for (std::size_t role = 0; role < roles.size(); ++role) {
          const std::string path = config_.resolve(roles[role]);
          if (roles[role].empty() || changed_.count(path) == 0) continue;
          for (const auto& file : layout.files) {
            if (file.name == *names[role]) locate_change(path, file);
          }
        }
      });
    } catch (const error&) {
      // What cannot be read has been found, with its byte.
    }
  }

  void locate_change(const std::string& path, const file_layout& layout) {
    const file_bytes content = files_(path);
    if (content.bytes.size() != layout.bytes) return;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> data;
    for (const auto& one : layout.sections) {
      if (one.bytes() != 0) data.emplace_back(one.offset, one.offset + one.bytes());
    }
    std::sort(data.begin(), data.end());
    std::size_t next_data = 0, next_literal = 0;
    for (std::uint64_t byte = 0; byte < layout.bytes; ++byte) {
      if (next_data < data.size() && byte == data[next_data].first) {
        byte = data[next_data++].second - 1;
        continue;
      }
      while (next_literal < layout.literals.size() &&
             byte >= layout.literals[next_literal].offset + layout.literals[next_literal].bytes.size()) {
        ++next_literal;
      }
      const bool fixed = next_literal < layout.literals.size() && byte >= layout.literals[next_literal].offset;
      const auto wanted = fixed ? layout.literals[next_literal].bytes[static_cast<std::size_t>(byte - layout.literals[next_literal].offset)] : std::byte{0};
      const auto there = content.bytes[static_cast<std::size_t>(byte)];
      if (there == wanted) continue;
      findings_.add(check_kind::digests, path, "byte " + text(byte) + " is " + text(std::to_integer<std::uint64_t>(there)) +
                                                   "; the format has " + text(std::to_integer<std::uint64_t>(wanted)) + " there");
      return;
    }
  }

  enum class reading : std::uint8_t { columns, judge, again };

  struct open_part {
    loaded_structure graph{};
    coo_columns ends{};
    std::string file{};
    const tensor *id = nullptr, *inner = nullptr, *owner = nullptr, *type = nullptr, *original = nullptr;
    const tensor *edge_id = nullptr, *inner_edge = nullptr, *edge_type = nullptr, *edge_original = nullptr;
  };

  // --- words ------------------------------------------------------------------------------------------

  static std::string text(std::uint64_t n) { return std::to_string(n); }
  static std::string text(std::int64_t n) { return std::to_string(n); }
  std::string node_type_name(std::size_t t) const { return graph_schema::quoted(config_.schema.node_types()[t]); }
  std::string edge_type_name(std::size_t r) const { return graph_schema::quoted(config_.schema.edge_types()[r].str()); }
  std::string type_name(bool of_nodes, std::size_t t) const { return of_nodes ? node_type_name(t) : edge_type_name(t); }
  static const char* noun(bool of_nodes) { return of_nodes ? "node" : "edge"; }
  /// "edge 7 of type "a:b:c"" by new ID, in original terms where they are known.
  std::string input_edge(std::uint64_t id) const {
    if (edge_old_.empty()) return "edge " + text(id);
    return "edge " + text(std::uint64_t{edge_old_[static_cast<std::size_t>(id)]}) + " of type " + edge_type_name(edges_.type(id));
  }
  std::string input_node(std::uint64_t id) const {
    if (node_old_.empty()) return "node " + text(id);
    return "node " + text(std::uint64_t{node_old_[static_cast<std::size_t>(id)]}) + " of type " + node_type_name(nodes_.type(id));
  }

  // --- original IDs -----------------------------------------------------------------------------------

  /// The file that holds original IDs: as the config says, or where DGL's pipeline puts it; "" if none.
  std::string mapping_file(std::size_t p, bool of_nodes) const {
    if (p >= config_.parts.size()) return "";
    const auto& paths = config_.parts[p];
    const std::string& named = of_nodes ? paths.original_nodes : paths.original_edges;
    if (!named.empty()) return config_.resolve(named);
    if (config_.serializer != "dgl" || paths.graph.empty()) return "";
    const std::string beside = config_.resolve(unlisted_original_ids(paths, of_nodes));
    try {
      static_cast<void>(files_(beside));
    } catch (const error& problem) {
      if (problem.code() == errc::not_found) return "";
    }
    return beside;
  }

  /// How many original IDs a type may have: with cut edges dropped, those still count.
  std::uint64_t most_original(bool of_nodes, std::size_t t) const {
    const auto& space = of_nodes ? nodes_ : edges_;
    const auto& counts = of_nodes ? input_nodes_ : input_edges_;
    if (!counts.empty()) return counts[t];
    return space.size_of(t) + (of_nodes || space.mapped() ? 0 : config_.cut_edges_dropped.value_or(0));
  }

  /// Original IDs of the inner nodes or edges of one part and type, in order of new IDs.
  void take_mapping(std::size_t p, std::size_t t, bool of_nodes, const tensor& values, std::uint64_t from, const std::string& file) {
    const auto& space = of_nodes ? nodes_ : edges_;
    auto& old = of_nodes ? node_old_ : edge_old_;
    auto& seen = of_nodes ? seen_nodes_ : seen_edges_;
    const std::uint64_t most = most_original(of_nodes, t), count = space.count(p, t);
    const auto say = [&](std::uint64_t row, std::int64_t value, const char* what) {
      mapping_good_ = false;
      findings_.add(check_kind::mapping, file, of_nodes ? "original node" : "original edge", [&] {
        return "row " + text(row) + " of type " + type_name(of_nodes, t) + ": original " + noun(of_nodes) + " ID " + text(value) + what +
               (value < 0 || static_cast<std::uint64_t>(value) >= most ? text(most) + ")" : "");
      });
    };
    constexpr const char* range = " is not in the valid range [0, ";
    constexpr const char* twice = " is listed twice; each original ID must be there once";
    if (mapping_partial_) {  // what other parts list is not known
      std::vector<std::pair<std::int64_t, std::uint64_t>> values_here;
      for (std::uint64_t row = 0; row < count; ++row) {
        const std::int64_t value = values.integer(static_cast<std::size_t>(from + row));
        if (value < 0 || static_cast<std::uint64_t>(value) >= most) say(row, value, range);
        values_here.emplace_back(value, row);
      }
      std::sort(values_here.begin(), values_here.end());
      for (std::size_t i = 1; i < values_here.size(); ++i) {
        if (values_here[i].first == values_here[i - 1].first) say(values_here[i].second, values_here[i].first, twice);
      }
      return;
    }
    seen[t].resize(static_cast<std::size_t>(most));
    std::vector<Id> ids;
    std::uint64_t cursor = 0;
    for (std::uint64_t done = 0; done < count; done += ids.size()) {
      space.ids(p, t, done, 1 << 16, ids, cursor);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::uint64_t row = from + done + i;
        const std::int64_t value = values.integer(static_cast<std::size_t>(row));
        const auto place = static_cast<std::uint64_t>(value);
        if (value < 0 || place >= most) {
          say(done + i, value, range);
          continue;
        }
        if (seen[t][static_cast<std::size_t>(place)]) {
          mapping_good_ = false;
          findings_.add(check_kind::mapping, file, of_nodes ? "original node" : "original edge", [&] {
            return "row " + text(done + i) + " of type " + type_name(of_nodes, t) + ": original " + noun(of_nodes) + " ID " + text(value) +
                   " is listed twice, first " + first_listing(of_nodes, t, static_cast<Id>(place)) + "; each original ID must be there once";
          });
          continue;
        }
        seen[t][static_cast<std::size_t>(place)] = true;
        old[static_cast<std::size_t>(ids[i])] = static_cast<Id>(place);
      }
    }
  }

  /// "in row 3 of FILE": where an original ID was listed before.
  std::string first_listing(bool of_nodes, std::size_t t, Id original) const {
    const auto& space = of_nodes ? nodes_ : edges_;
    const auto& old = of_nodes ? node_old_ : edge_old_;
    std::vector<Id> ids;
    for (std::size_t p = 0; p < config_.num_parts; ++p) {
      std::uint64_t cursor = 0;
      for (std::uint64_t done = 0; done < space.count(p, t); done += ids.size()) {
        space.ids(p, t, done, 1 << 16, ids, cursor);
        for (std::size_t i = 0; i < ids.size(); ++i) {
          if (old[ids[i]] != original) continue;
          const std::string file = mapping_file(p, of_nodes);
          return "in row " + text(done + i) + " of part " + text(std::uint64_t{p}) + (file.empty() ? std::string() : " (" + file + ")");
        }
      }
    }
    return "elsewhere";
  }

  void read_mapping_file(std::size_t p, bool of_nodes, const std::string& file) {
    const auto& space = of_nodes ? nodes_ : edges_;
    std::vector<named_tensor> all;
    try {
      all = formats_.with(config_, [&](const auto& format) { return format.read_features(files_(file), file); });
    } catch (const error& problem) {
      mapping_good_ = false;
      findings_.add(check_kind::mapping, file, problem);
      return;
    }
    std::vector<bool> taken(space.types());
    for (const auto& one : all) {
      const auto t = find_type(of_nodes, one.name);
      if (!t) {
        mapping_good_ = false;
        findings_.add(check_kind::mapping, file, "tensor " + graph_schema::quoted(one.name) + " names no " + noun(of_nodes) +
                                                     " type of the config");
        continue;
      }
      taken[*t] = true;
      const std::uint64_t count = space.count(p, *t);
      if (one.value.rank() != 1 || one.value.rows() != count || one.value.type() != dtype::int64) {
        mapping_good_ = false;
        findings_.add(check_kind::mapping, file, "original IDs of type " + type_name(of_nodes, *t) + " have dtype " +
                                                     std::string(name(one.value.type())) + " and shape " + to_string(one.value.shape()) +
                                                     "; they must be int64 of shape (" + text(count) + ",), one for each inner " +
                                                     noun(of_nodes));
        continue;
      }
      take_mapping(p, *t, of_nodes, one.value, 0, file);
    }
    for (std::size_t t = 0; t < taken.size(); ++t) {
      if (taken[t] || (space.count(p, t) == 0 && all.size() != taken.size())) continue;
      mapping_good_ = mapping_good_ && space.count(p, t) == 0;
      findings_.add(check_kind::mapping, file, "there are no original IDs of type " + type_name(of_nodes, t) + "; each type must be there");
    }
  }

  /// From `orig_id` columns, of the inner nodes and edges.
  void read_mapping_columns(std::size_t p) {
    open_part part;
    if (!open(p, part, reading::columns)) {
      mapping_good_ = false;
      return;
    }
    const auto take = [&](bool of_nodes, const tensor* column, std::uint64_t rows) {
      const auto& space = of_nodes ? nodes_ : edges_;
      if (column == nullptr || !is_integer(column->type()) || column->rank() != 1 || column->rows() < space.count(p) ||
          column->rows() != rows) {
        mapping_good_ = false;
        findings_.add(check_kind::mapping, part.file, std::string(noun(of_nodes)) + "s have no usable column \"orig_id\", which other parts have");
        return;
      }
      std::uint64_t from = 0;
      for (std::size_t t = 0; t < space.types(); ++t) {
        take_mapping(p, t, of_nodes, *column, from, part.file);
        from += space.count(p, t);
      }
    };
    take(true, part.original, part.graph.nodes);
    take(false, part.edge_original, part.graph.edges);
  }

  enum class mapping_source : std::uint8_t { none, files, columns, identity };

  void read_mapping(bool needed, std::size_t first, std::size_t last) {
    mapping_source source = mapping_source::none;
    std::size_t with_files = 0;
    std::vector<std::array<std::string, 2>> paths(config_.num_parts);
    for (std::size_t p = 0; p < config_.num_parts; ++p) {
      paths[p] = {mapping_file(p, true), mapping_file(p, false)};
      with_files += !paths[p][0].empty() || !paths[p][1].empty() ? 1u : 0u;
    }
    if (nodes_.mapped() && config_.cut_edges_dropped) {
      source = mapping_source::identity;
      if (with_files != 0) findings_.note("files of original IDs are not looked at, since the parts keep original IDs");
    } else if (with_files != 0) {
      source = mapping_source::files;
    } else if (nodes_.mapped() || config_.num_parts == 1) {
      source = mapping_source::identity;
    } else {
      open_part part;
      for (std::size_t p = first; p < last && source == mapping_source::none; ++p) {
        if (open(p, part, reading::columns) && (part.original || part.edge_original)) source = mapping_source::columns;
      }
    }
    mapping_partial_ = options_.part && !needed;
    if (source == mapping_source::none || (source == mapping_source::identity && mapping_partial_)) return;
    if (!mapping_partial_) {
      node_old_.assign(static_cast<std::size_t>(nodes_.size()), none);
      edge_old_.assign(static_cast<std::size_t>(edges_.size()), none);
    }
    seen_nodes_.resize(nodes_.types());
    seen_edges_.resize(edges_.types());
    mapping_good_ = true;
    if (source == mapping_source::identity) {
      for (std::size_t v = 0; v < node_old_.size(); ++v) node_old_[v] = static_cast<Id>(v - nodes_.begin_of(nodes_.type(v)));
      for (std::size_t e = 0; e < edge_old_.size(); ++e) edge_old_[e] = static_cast<Id>(e - edges_.begin_of(edges_.type(e)));
      return;
    }
    findings_.done(check_kind::mapping);
    const std::size_t from = mapping_partial_ ? first : 0, to = mapping_partial_ ? last : config_.num_parts;
    for (std::size_t p = from; p < to; ++p) {
      if (source == mapping_source::columns) {
        read_mapping_columns(p);
        continue;
      }
      for (const bool of_nodes : {true, false}) {
        const std::string& file = paths[p][of_nodes ? 0 : 1];
        if (file.empty()) {
          mapping_good_ = false;
          findings_.add(check_kind::mapping, config_.path, "part " + text(p) + " has no file of original " + noun(of_nodes) +
                                                               " IDs, though others have; each part needs one");
        } else {
          read_mapping_file(p, of_nodes, file);
        }
      }
    }
    seen_nodes_.clear();
    seen_edges_.clear();
  }

  std::optional<std::size_t> find_type(bool of_nodes, std::string_view text_of) const {
    if (of_nodes) {
      if (const auto t = config_.schema.node_type(text_of)) return *t;
      return std::nullopt;
    }
    for (std::size_t r = 0; r < config_.schema.num_edge_types(); ++r) {
      if (config_.schema.edge_types()[r].str() == text_of) return r;
    }
    // Before DGL 1.0 by relation alone; no relation name holds a colon.
    std::optional<std::size_t> found;
    for (std::size_t r = 0; r < config_.schema.num_edge_types(); ++r) {
      if (config_.schema.edge_types()[r].relation != text_of) continue;
      if (found) return std::nullopt;
      found = r;
    }
    return found;
  }

  // --- the input --------------------------------------------------------------------------------------

  /// What the parts must hold, from the input graph and the new IDs of its nodes and edges.
  template <class Dataset>
  void against(const Dataset& input) {
    owners_from(input);
    for (const auto* all : {&input.features.nodes, &input.features.edges}) {
      for (const auto& one : *all) trainers_are_input_ = trainers_are_input_ || one.name == "trainer_id";
    }
    if (node_old_.empty() && !order_nodes(input)) return;
    if (!mapping_good_) {
      findings_.note("the parts are not compared with the input, since the mapping to original IDs is wrong");
      return;
    }
    new_node_.assign(static_cast<std::size_t>(nodes_.size()), none);
    for (std::uint64_t v = 0; v < nodes_.size(); ++v) {
      const std::size_t t = nodes_.type(v);
      new_node_[static_cast<std::size_t>(nodes_.begin_of(t) + node_old_[static_cast<std::size_t>(v)])] = static_cast<Id>(v);
    }
    check_assignment(input);
    if (edge_old_.empty() && !order_edges(input)) return;
    const std::uint64_t dropped = config_.cut_edges_dropped.value_or(0);
    std::uint64_t absent = 0;
    source_.assign(static_cast<std::size_t>(edges_.size()), none);
    target_.assign(static_cast<std::size_t>(edges_.size()), none);
    for (std::size_t r = 0; r < edges_.types(); ++r) {
      const auto& columns = input.edges[input_edge_type_[r]];
      const auto source_type = config_.schema.source_type(static_cast<type_id>(r));
      const auto target_type = config_.schema.target_type(static_cast<type_id>(r));
      std::vector<bool> placed(columns.source.size());
      const auto place = [&](std::uint64_t id) {
        const auto old = static_cast<std::size_t>(edge_old_[static_cast<std::size_t>(id)]);
        const Id u = new_of(source_type, columns.source[old]), v = new_of(target_type, columns.target[old]);
        if (edges_.mapped() && dropped != 0 && nodes_.part(u) != nodes_.part(v)) return;  // left out, ID and all
        placed[old] = true;
        source_[static_cast<std::size_t>(id)] = u;
        target_[static_cast<std::size_t>(id)] = v;
      };
      std::vector<Id> ids;
      for (std::size_t p = 0; p < config_.num_parts; ++p) {
        std::uint64_t cursor = 0;
        for (std::uint64_t done = 0; done < edges_.count(p, r); done += ids.size()) {
          edges_.ids(p, r, done, 1 << 16, ids, cursor);
          for (const Id id : ids) place(id);
        }
      }
      for (std::size_t e = 0; e < placed.size(); ++e) {
        if (placed[e]) continue;
        ++absent;
        const Id u = new_of(source_type, columns.source[e]), v = new_of(target_type, columns.target[e]);
        if (dropped == 0 || nodes_.part(u) == nodes_.part(v)) {
          findings_.add(check_kind::input, config_.path, "edge left out", [&] {
            return "input edge " + text(std::uint64_t{e}) + " of type " + edge_type_name(r) + " is in no part; " +
                   (dropped == 0 ? "every edge must be in one" : "only edges across parts may be dropped");
          });
        }
      }
    }
    if (absent != dropped) {
      findings_.add(check_kind::input, config_.path, "\"cut_edges_dropped\" is " + text(dropped) + ", but " + text(absent) +
                                                         " input edges are left out");
    }
    truth_known_ = true;
  }

  template <class Value>
  Id new_of(std::size_t type, Value typed) const {
    return new_node_[static_cast<std::size_t>(nodes_.begin_of(type) + static_cast<std::uint64_t>(typed))];
  }

  /// Types by name, and their sizes.
  template <class Dataset>
  bool match_types(const Dataset& input) {
    bool good = true;
    const auto say = [&](std::string sentence) {
      good = false;
      findings_.add(check_kind::input, config_.path, std::move(sentence));
    };
    for (std::size_t t = 0; t < nodes_.types(); ++t) {
      const auto found = input.schema.node_type(config_.schema.node_types()[t]);
      if (!found) {
        say("node type " + node_type_name(t) + " is not in the input");
        continue;
      }
      input_node_type_.push_back(*found);
      input_nodes_.push_back(input.node_counts[*found]);
      if (input_nodes_.back() != nodes_.size_of(t)) {
        say("there are " + text(nodes_.size_of(t)) + " nodes of type " + node_type_name(t) + "; the input has " + text(input_nodes_.back()));
      }
    }
    std::uint64_t missing = 0;
    for (std::size_t r = 0; r < edges_.types(); ++r) {
      const auto found = input.schema.edge_type(config_.schema.edge_types()[r]);
      if (!found) {
        say("edge type " + edge_type_name(r) + " is not in the input");
        continue;
      }
      input_edge_type_.push_back(*found);
      input_edges_.push_back(input.edges[*found].source.size());
      const std::uint64_t have = edges_.size_of(r), want = input_edges_.back();
      if (have > want || (have < want && !config_.cut_edges_dropped)) {
        say("there are " + text(have) + " edges of type " + edge_type_name(r) + "; the input has " + text(want));
      } else {
        missing += want - have;
      }
    }
    if (input.schema.num_node_types() > nodes_.types() || input.schema.num_edge_types() > edges_.types()) {
      say("the input has " + text(std::uint64_t{input.schema.num_node_types()}) + " node types and " +
          text(std::uint64_t{input.schema.num_edge_types()}) + " edge types; the config lists " + text(std::uint64_t{nodes_.types()}) +
          " and " + text(std::uint64_t{edges_.types()}));
    }
    if (good && missing != (edges_.mapped() ? 0 : config_.cut_edges_dropped.value_or(0))) {
      say("the input has " + text(missing) + " edges more than the parts; \"cut_edges_dropped\" must say so");
    }
    return good;
  }

  /// The assigned part of each node by (config type, typed ID), where an assignment is given.
  template <class Dataset>
  void owners_from(const Dataset& input) {
    if (options_.assignment.empty()) return;
    const auto& given = options_.assignment;
    if (given.size() != nodes_.size()) {
      raise(errc::mismatch, "the assignment names a part for " + text(std::uint64_t{given.size()}) + " nodes; the graph has " + text(nodes_.size()));
    }
    trainers_ = options_.trainers_per_machine;
    if (trainers_ == 0) {
      const auto most = std::uint64_t{*std::max_element(given.begin(), given.end())} + 1;
      trainers_ = std::max<std::uint64_t>(1, (most + config_.num_parts - 1) / config_.num_parts);
    }
    std::vector<std::uint64_t> begin(input.node_counts.size() + 1);
    for (std::size_t t = 0; t < input.node_counts.size(); ++t) begin[t + 1] = begin[t] + input.node_counts[t];
    assigned_.resize(given.size());
    for (std::size_t t = 0; t < nodes_.types(); ++t) {
      for (std::uint64_t i = 0; i < input_nodes_[t]; ++i) {
        assigned_[static_cast<std::size_t>(nodes_.begin_of(t) + i)] = given[static_cast<std::size_t>(begin[input_node_type_[t]] + i)];
      }
    }
  }

  /// New node IDs in our fixed order, (part, type, original ID), from the assignment.
  template <class Dataset>
  bool order_nodes(const Dataset&) {
    if (assigned_.empty()) {
      raise(errc::not_found, "nothing tells which input node became which ID: there are no files of original IDs and no orig_id columns; "
                             "give the assignment, or partition again with its mapping saved", {config_.path, {}, {}});
    }
    if (config_.node_order != "original") {
      raise(errc::not_found, "the nodes of each part are ordered by " + graph_schema::quoted(config_.node_order) + ", which the assignment alone does not tell; "
                             "there must be files of original IDs or orig_id columns: partition again with its mapping saved", {config_.path, {}, {}});
    }
    std::vector<std::uint64_t> filled(config_.num_parts * nodes_.types());
    node_old_.assign(static_cast<std::size_t>(nodes_.size()), none);
    for (std::size_t t = 0; t < nodes_.types(); ++t) {
      for (std::uint64_t i = 0; i < nodes_.size_of(t); ++i) {
        const std::uint64_t p = assigned_[static_cast<std::size_t>(nodes_.begin_of(t) + i)] / trainers_;
        const bool fits = p < config_.num_parts && filled[p * nodes_.types() + t] < nodes_.count(p, t);
        if (!fits) {
          findings_.done(check_kind::assignment);
          findings_.add(check_kind::assignment, config_.path,
                        p >= config_.num_parts ? "node " + text(i) + " of type " + node_type_name(t) + " is assigned to part " + text(p) +
                                                     "; there are " + text(std::uint64_t{config_.num_parts})
                                               : "part " + text(p) + " owns " + text(nodes_.count(p, t)) + " nodes of type " +
                                                     node_type_name(t) + "; the assignment gives it more");
          return false;
        }
        node_old_[static_cast<std::size_t>(nodes_.first(p, t) + filled[p * nodes_.types() + t]++)] = static_cast<Id>(i);
      }
    }
    mapping_good_ = true;
    return true;
  }

  /// New edge IDs in our fixed order: (part of the target, type, new target, original ID).
  template <class Dataset>
  bool order_edges(const Dataset& input) {
    edge_old_.assign(static_cast<std::size_t>(edges_.size()), none);
    for (std::size_t r = 0; r < edges_.types(); ++r) {
      const auto& columns = input.edges[input_edge_type_[r]];
      const auto source_type = config_.schema.source_type(static_cast<type_id>(r));
      const auto target_type = config_.schema.target_type(static_cast<type_id>(r));
      std::vector<std::pair<Id, Id>> order;  // new target, original ID
      for (std::size_t e = 0; e < columns.target.size(); ++e) {
        const Id v = new_of(target_type, columns.target[e]);
        if (config_.cut_edges_dropped && nodes_.part(new_of(source_type, columns.source[e])) != nodes_.part(v)) continue;
        order.emplace_back(v, static_cast<Id>(e));
      }
      std::sort(order.begin(), order.end());
      std::size_t at = 0;
      for (std::size_t p = 0; p < config_.num_parts; ++p) {
        for (std::uint64_t i = 0; i < edges_.count(p, r); ++i, ++at) {
          if (at >= order.size() || nodes_.part(order[at].first) != p) {
            findings_.add(check_kind::input, config_.path, "part " + text(p) + " has " + text(edges_.count(p, r)) + " inner edges of type " +
                                                               edge_type_name(r) + "; the input gives it " + text(i));
            edge_old_.clear();
            return false;
          }
          edge_old_[static_cast<std::size_t>(edges_.first(p, r) + i)] = order[at].second;
        }
      }
      if (at != order.size()) {
        findings_.add(check_kind::input, config_.path, "the parts have " + text(std::uint64_t{at}) + " edges of type " + edge_type_name(r) +
                                                           "; the input gives them " + text(std::uint64_t{order.size()}));
        edge_old_.clear();
        return false;
      }
    }
    return true;
  }

  template <class Dataset>
  void check_assignment(const Dataset&) {
    if (assigned_.empty()) return;
    findings_.done(check_kind::assignment);
    for (std::uint64_t v = 0; v < nodes_.size(); ++v) {
      const auto wanted = assigned_[original_place(v)] / trainers_;
      if (wanted == nodes_.part(v)) continue;
      findings_.add(check_kind::assignment, config_.path, "owner", [&] {
        return input_node(v) + " is owned by part " + text(std::uint64_t{nodes_.part(v)}) + "; the assignment says part " + text(wanted);
      });
    }
  }
  /// Place of a node among original IDs, the config's types laid end to end.
  std::size_t original_place(std::uint64_t v) const {
    return static_cast<std::size_t>(nodes_.begin_of(nodes_.type(v)) + node_old_[static_cast<std::size_t>(v)]);
  }

  // --- one part ---------------------------------------------------------------------------------------

  /// Read the graph of a part: its columns alone; or all, saying what is wrong; or all once more.
  /// @return whether it can be worked with
  bool open(std::size_t p, open_part& part, reading how) {
    part = {};
    try {
      part.file = config_.resolve(paths_of(config_, p).graph);
      part.graph = load_partition_graph(config_, p, files_, formats_);
    } catch (const error& problem) {
      if (how == reading::judge) findings_.add(check_kind::structure, config_.path, problem);
      return false;
    }
    const auto& graph = part.graph;
    if (how == reading::judge) {
      if (auto fault = check_structure(graph)) {
        findings_.add(check_kind::structure, part.file, place_of(fault->what, fault->element) + fault->sentence);
        return false;
      }
      check_index_dtypes(part);
    }
    if (how != reading::columns) {
      part.ends = graph.coo ? *graph.coo : graph.csc ? pairs_of(*graph.csc, false) : pairs_of(*graph.csr, true);
    }
    part.id = find_column(graph.node_columns, "_ID");
    part.inner = find_column(graph.node_columns, "inner_node");
    part.owner = find_column(graph.node_columns, "part_id");
    part.type = find_column(graph.node_columns, "_TYPE");
    part.original = find_column(graph.node_columns, "orig_id");
    part.edge_id = find_column(graph.edge_columns, "_ID");
    part.inner_edge = find_column(graph.edge_columns, "inner_edge");
    part.edge_type = find_column(graph.edge_columns, "_TYPE");
    part.edge_original = find_column(graph.edge_columns, "orig_id");
    return true;
  }

  static std::string place_of(column what, std::uint64_t element) {
    constexpr const char* words[] = {"coo sources", "coo targets", "csr offsets", "csr targets", "csr edge IDs",
                                     "csc offsets", "csc sources", "csc edge IDs"};
    const auto i = static_cast<std::size_t>(what);
    return i < std::size(words) ? std::string(words[i]) + ", element " + text(element) + ": " : std::string();
  }

  void check_index_dtypes(const open_part& part) {
    const auto check = [&](const tensor& values, const char* what) {
      const bool fine = values.type() == dtype::int64 || (config_.serializer != "dgl" && is_integer(values.type()));
      if (!fine) {
        findings_.add(check_kind::structure, part.file, std::string(what) + " are of dtype " + std::string(name(values.type())) +
                                                            "; parts hold int64");
      }
    };
    if (part.graph.coo) {
      check(part.graph.coo->source, "coo sources");
      check(part.graph.coo->target, "coo targets");
    }
    for (const auto* adjacency : {&part.graph.csr, &part.graph.csc}) {
      if (!*adjacency) continue;
      check((*adjacency)->offsets, "offsets");
      check((*adjacency)->neighbours, "neighbours");
      check((*adjacency)->edges, "edge IDs");
    }
  }

  /// Are the columns there and of the dtypes that some release wrote?
  bool check_columns(const open_part& part) {
    bool good = true;
    const auto say = [&](std::string sentence) {
      good = false;
      findings_.add(check_kind::structure, part.file, std::move(sentence));
    };
    const auto allow = [&](const tensor* column, const char* kind, const char* called, bool needed, auto... types) {
      if (column == nullptr) {
        if (needed) say(std::string(kind) + " column \"" + called + "\" is missing; every part has it");
        return;
      }
      const bool legal = (... || (column->type() == types)) || (config_.serializer != "dgl" && is_integer(column->type()));
      if (column->rank() != 1 || !legal) {
        say(std::string(kind) + " column \"" + called + "\" has dtype " + std::string(name(column->type())) + " and shape " +
            to_string(column->shape()) + "; it must be one integer a row, of a width that DGL writes");
      }
    };
    const bool typed = nodes_.types() > 1 || edges_.types() > 1;
    allow(part.id, "node", "_ID", true, dtype::int64);
    allow(part.inner, "node", "inner_node", true, dtype::uint8, dtype::int8, dtype::int32);
    allow(part.owner, "node", "part_id", false, dtype::int64);
    allow(part.type, "node", "_TYPE", typed, dtype::int32, dtype::int64);
    allow(part.original, "node", "orig_id", false, dtype::int64);
    allow(part.edge_id, "edge", "_ID", true, dtype::int64);
    allow(part.inner_edge, "edge", "inner_edge", true, dtype::uint8, dtype::int8);
    allow(part.edge_type, "edge", "_TYPE", typed, dtype::int32, dtype::int64);
    allow(part.edge_original, "edge", "orig_id", false, dtype::int64);
    if (!good) return false;
    if (config_.serializer == "dgl") {
      if ((part.inner->type() == dtype::uint8) != (part.inner_edge->type() == dtype::uint8)) {
        say("columns \"inner_node\" and \"inner_edge\" have dtypes " + std::string(name(part.inner->type())) + " and " +
            std::string(name(part.inner_edge->type())) + "; uint8 goes with uint8 alone");
      }
      if ((part.type == nullptr) != (part.edge_type == nullptr) || (part.type && part.type->type() != part.edge_type->type())) {
        say("columns \"_TYPE\" of nodes and of edges differ in dtype, or one is missing; they go together");
      }
      if ((part.original == nullptr) != (part.edge_original == nullptr)) {
        say("column \"orig_id\" is there for nodes or edges alone; both have it or none");
      }
    }
    const auto known = [&](const std::vector<named_tensor>& columns, std::initializer_list<std::string_view> names, const char* kind) {
      for (const auto& one : columns) {
        if (std::find(names.begin(), names.end(), one.name) != names.end()) continue;
        say(std::string(kind) + " column " + graph_schema::quoted(one.name) + " is none that a part has");
      }
    };
    known(part.graph.node_columns, {"_ID", "inner_node", "part_id", "_TYPE", "orig_id"}, "node");
    known(part.graph.edge_columns, {"_ID", "inner_edge", "_TYPE", "orig_id"}, "edge");
    // What one part has all have, of one dtype.
    std::vector<std::pair<std::string, dtype>> signature;
    for (const auto& one : part.graph.node_columns) signature.emplace_back("node column " + one.name, one.value.type());
    for (const auto& one : part.graph.edge_columns) signature.emplace_back("edge column " + one.name, one.value.type());
    std::sort(signature.begin(), signature.end());
    const std::uint8_t stored = static_cast<std::uint8_t>((part.graph.coo ? 1 : 0) | (part.graph.csr ? 2 : 0) | (part.graph.csc ? 4 : 0));
    if (signature_.empty()) {
      signature_ = std::move(signature);
      formats_stored_ = stored;
    } else {
      if (signature != signature_) say("the columns of this part differ from those of an earlier one in name or dtype; all parts have the same");
      if (stored != formats_stored_) {
        say("this part is stored as " + sparse_formats{stored}.str() + ", an earlier one as " + sparse_formats{formats_stored_}.str() +
            "; all parts have the same formats");
      }
    }
    return good;
  }

  std::int64_t at(const tensor* column, std::uint64_t i) const { return column->integer(static_cast<std::size_t>(i)); }

  template <class Dataset>
  void check_part(std::size_t p, const Dataset* input) {
    open_part part;
    if (!open(p, part, reading::judge) || !check_columns(part)) {
      part.ends = {};
      check_features(p, nullptr, input);
      return;
    }
    usable_[p] = check_nodes(p, part);
    if (usable_[p]) usable_[p] = check_edges(p, part);
    check_features(p, usable_[p] ? &part : nullptr, input);
  }

  /// @return whether IDs can be used to index what is kept about nodes
  bool check_nodes(std::size_t p, const open_part& part) {
    const std::uint64_t count = part.graph.nodes, inner = nodes_.count(p);
    if (count < inner) {
      findings_.add(check_kind::nodes, part.file, "there are " + text(count) + " nodes; the part owns " + text(inner));
      return false;
    }
    bool good = true;
    const auto say = [&](const char* fault, std::uint64_t i, const auto& make) {
      good = false;
      findings_.add(check_kind::nodes, part.file, fault, [&] { return "node " + text(i) + ": " + make(); });
    };
    std::vector<std::uint64_t> halo;
    std::int64_t previous = -1;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::int64_t id = at(part.id, i);
      if (id < 0 || static_cast<std::uint64_t>(id) >= nodes_.size()) {
        say("_ID range", i, [&] { return "_ID " + text(id) + " is not in the valid range [0, " + text(nodes_.size()) + ")"; });
        continue;
      }
      const auto v = static_cast<std::uint64_t>(id);
      if (i < inner && !nodes_.mapped() && v != nodes_.first(p) + i) {
        say("_ID order", i, [&] { return "_ID is " + text(id) + "; inner nodes come first without gaps, so it must be " + text(nodes_.first(p) + i); });
      } else if (i < inner && (nodes_.part(v) != p || id <= previous)) {
        say("_ID owner", i, [&] { return "_ID is " + text(id) + "; inner nodes come first, owned by part " + text(p) + ", ascending"; });
      } else if (i >= inner && nodes_.part(v) == p) {
        say("_ID halo", i, [&] { return "_ID " + text(id) + " is owned by this part; behind its " + text(inner) + " inner nodes there are HALO nodes only"; });
      }
      previous = id;
      if (i >= inner) halo.push_back(v);
      if (at(part.inner, i) != (i < inner ? 1 : 0)) {
        say("inner_node", i, [&] { return "inner_node is " + text(at(part.inner, i)) + "; it must be " + (i < inner ? "1, the node is owned here" : "0, the node is owned elsewhere"); });
      }
      if (part.owner && at(part.owner, i) != static_cast<std::int64_t>(nodes_.part(v))) {
        say("part_id", i, [&] { return "part_id is " + text(at(part.owner, i)) + "; node " + text(id) + " is owned by part " + text(std::uint64_t{nodes_.part(v)}); });
      }
      if (part.type && at(part.type, i) != static_cast<std::int64_t>(nodes_.type(v))) {
        say("_TYPE", i, [&] { return "_TYPE is " + text(at(part.type, i)) + "; node " + text(id) + " is of type " + text(std::uint64_t{nodes_.type(v)}) + ", " + node_type_name(nodes_.type(v)); });
      }
      if (part.original && mapping_good_ && !mapping_partial_ && !node_old_.empty() &&
          at(part.original, i) != static_cast<std::int64_t>(node_old_[static_cast<std::size_t>(v)])) {
        say("orig_id", i, [&] { return "orig_id is " + text(at(part.original, i)) + "; node " + text(id) + " was " + text(std::uint64_t{node_old_[static_cast<std::size_t>(v)]}) + " in the input"; });
      }
    }
    // Inner nodes have been compared with their places; only HALO nodes can be there twice.
    std::vector<std::uint64_t> sorted = halo;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
      const auto again = std::find(std::find(halo.begin(), halo.end(), *twice) + 1, halo.end(), *twice);
      say("_ID twice", inner + static_cast<std::uint64_t>(again - halo.begin()), [&] {
        return "_ID " + text(*twice) + " is there twice; each node must be there once";
      });
    }
    return good;
  }

  /// Inner edges of part p: with cut edges dropped and original IDs kept, some of the map's are absent.
  bool check_edges(std::size_t p, const open_part& part) {
    const std::uint64_t count = part.graph.edges, inner_nodes = nodes_.count(p);
    std::uint64_t inner = edges_.count(p);
    bool good = true;
    if (edges_.mapped() && config_.cut_edges_dropped) {
      inner = 0;
      while (inner < count && at(part.inner_edge, inner) == 1) ++inner;
      kept_edges_ += inner;
    }
    if (count < inner) {
      findings_.add(check_kind::edges, part.file, "there are " + text(count) + " edges; the part owns " + text(inner));
      return false;
    }
    const auto say = [&](const char* fault, std::uint64_t j, const auto& make) {
      good = false;
      findings_.add(check_kind::edges, part.file, fault, [&] { return "edge " + text(j) + ": " + make(); });
    };
    std::int64_t previous = -1;
    for (std::uint64_t j = 0; j < count; ++j) {
      if (j == inner) previous = -1;
      const std::int64_t id = at(part.edge_id, j);
      if (id < 0 || static_cast<std::uint64_t>(id) >= edges_.size()) {
        say("_ID range", j, [&] { return "_ID " + text(id) + " is not in the valid range [0, " + text(edges_.size()) + ")"; });
        continue;
      }
      const auto e = static_cast<std::uint64_t>(id);
      if (j < inner && !edges_.mapped() && e != edges_.first(p) + j) {
        say("_ID order", j, [&] { return "_ID is " + text(id) + "; inner edges come first without gaps, so it must be " + text(edges_.first(p) + j); });
      } else if (j < inner && edges_.part(e) != p) {
        say("_ID owner", j, [&] { return "_ID is " + text(id) + ", an edge of another part; inner edges come first"; });
      } else if (j >= inner && edges_.part(e) == p) {
        say("_ID halo", j, [&] { return "_ID " + text(id) + " is owned by this part; behind its " + text(inner) + " inner edges there are others only"; });
      }
      if (id <= previous) {
        say("_ID ascending", j, [&] { return "_ID is " + text(id) + ", which does not follow " + text(previous) + " before it; they must ascend"; });
      }
      previous = id;
      if (at(part.inner_edge, j) != (j < inner ? 1 : 0)) {
        say("inner_edge", j, [&] { return "inner_edge is " + text(at(part.inner_edge, j)) + "; it must be " + (j < inner ? "1, the edge is owned here" : "0, the edge is owned elsewhere"); });
      }
      const auto u = static_cast<std::uint64_t>(at(&part.ends.source, j)), v = static_cast<std::uint64_t>(at(&part.ends.target, j));
      if ((v < inner_nodes) != (j < inner)) {
        say("target", j, [&] {
          return "target is local node " + text(v) + ", " + (v < inner_nodes ? "an inner" : "a HALO") + " node, but the edge is " +
                 (j < inner ? "inner" : "not inner") + "; an edge belongs to the part of its target";
        });
      }
      const std::size_t r = edges_.type(e);
      if (part.edge_type && at(part.edge_type, j) != static_cast<std::int64_t>(r)) {
        say("_TYPE", j, [&] { return "_TYPE is " + text(at(part.edge_type, j)) + "; edge " + text(id) + " is of type " + text(std::uint64_t{r}) + ", " + edge_type_name(r); });
      }
      const auto gu = static_cast<std::uint64_t>(at(part.id, u)), gv = static_cast<std::uint64_t>(at(part.id, v));
      const auto end = [&](const char* which, std::uint64_t node, type_id wanted) {
        if (nodes_.type(node) == wanted) return;
        say(which, j, [&] { return std::string(which) + " is of type " + node_type_name(nodes_.type(node)) + "; edges of type " + edge_type_name(r) + " need " + node_type_name(wanted); });
      };
      end("source", gu, config_.schema.source_type(static_cast<type_id>(r)));
      end("target", gv, config_.schema.target_type(static_cast<type_id>(r)));
      if (part.edge_original && mapping_good_ && !mapping_partial_ && !edge_old_.empty() &&
          at(part.edge_original, j) != static_cast<std::int64_t>(edge_old_[static_cast<std::size_t>(e)])) {
        say("orig_id", j, [&] { return "orig_id is " + text(at(part.edge_original, j)) + "; edge " + text(id) + " was " + text(std::uint64_t{edge_old_[static_cast<std::size_t>(e)]}) + " in the input"; });
      }
      if (j >= inner) continue;
      if (truth_known_) {
        compare_ends(check_kind::input, part, j, e, gu, gv);
      } else if (!source_.empty()) {
        source_[static_cast<std::size_t>(e)] = static_cast<Id>(gu);
        target_[static_cast<std::size_t>(e)] = static_cast<Id>(gv);
      }
    }
    return good;
  }

  void compare_ends(check_kind kind, const open_part& part, std::uint64_t j, std::uint64_t e, std::uint64_t u, std::uint64_t v) {
    const Id tu = source_[static_cast<std::size_t>(e)], tv = target_[static_cast<std::size_t>(e)];
    if (tu == u && tv == v) return;
    findings_.add(kind, part.file, kind == check_kind::input ? "input ends" : "crossing ends", [&] {
      const std::string start = "edge " + text(j) + " (_ID " + text(e) + ") leads from node " + text(u) + " to node " + text(v) + ", ";
      if (tu == none) return start + "but no part owns such an edge";
      return start + (truth_known_ ? "but " + input_edge(e) + " of the input" : "but where it is inner it") + " leads from " +
             input_node(tu) + " to " + input_node(tv);
    });
  }

  // --- all parts --------------------------------------------------------------------------------------

  /// Edges held by parts that do not own them, and the extent of each HALO.
  void check_across(std::size_t first, std::size_t last) {
    findings_.done(check_kind::crossing_edges);
    findings_.done(check_kind::halo);
    if (!options_.part && edges_.mapped() && config_.cut_edges_dropped && kept_edges_ != config_.num_edges) {
      findings_.add(check_kind::edges, config_.path, "the parts own " + text(kept_edges_) + " edges; the config says " + text(config_.num_edges));
    }
    const auto n = static_cast<std::size_t>(nodes_.size());
    // In-edges by target, and cut edges by the part of their source.
    in_begin_.assign(n + 1, 0);
    cut_begin_.assign(config_.num_parts + 1, 0);
    for (std::size_t e = 0; e < source_.size(); ++e) {
      if (source_[e] == none) continue;
      ++in_begin_[target_[e]];
      const auto p = nodes_.part(source_[e]);
      if (p != nodes_.part(target_[e])) ++cut_begin_[p];
    }
    const auto sum_up = [](auto& counts) {
      std::uint64_t sum = 0;
      for (auto& c : counts) {
        const std::uint64_t count = c;
        c = static_cast<std::remove_reference_t<decltype(c)>>(sum);
        sum += count;
      }
      return sum;
    };
    in_edges_.resize(static_cast<std::size_t>(sum_up(in_begin_)));
    cut_edges_.resize(static_cast<std::size_t>(sum_up(cut_begin_)));
    for (std::size_t e = 0; e < source_.size(); ++e) {
      if (source_[e] == none) continue;
      in_edges_[in_begin_[target_[e]]++] = static_cast<Id>(e);
      const auto p = nodes_.part(source_[e]);
      if (p != nodes_.part(target_[e])) cut_edges_[cut_begin_[p]++] = static_cast<Id>(e);
    }
    for (std::size_t v = n; v > 0; --v) in_begin_[v] = in_begin_[v - 1];
    for (std::size_t p = config_.num_parts; p > 0; --p) cut_begin_[p] = cut_begin_[p - 1];
    in_begin_[0] = 0;
    cut_begin_[0] = 0;
    if (config_.halo_hops == 0 && !cut_edges_.empty()) {
      findings_.add(check_kind::halo, config_.path, text(std::uint64_t{cut_edges_.size()}) + " edges cross parts, which 0 hops cannot hold");
    }

    hop_.assign(n, none);
    member_.assign(n, 0);
    // DGL's partition_graph holds the out-edges of inner nodes, its dispatch pipeline does not, and no config
    // says which it is: whichever makes fewer differences over all parts.
    std::uint64_t held = 0, cut = 0, differences[2] = {0, 0};
    for (std::size_t p = first; p < last; ++p) {
      open_part part;
      if (!usable_[p] || !open(p, part, reading::again)) continue;
      const std::uint64_t inner = nodes_.count(p);
      for (std::uint64_t j = 0; j < part.graph.edges; ++j) {
        const auto u = static_cast<std::uint64_t>(at(&part.ends.source, j)), v = static_cast<std::uint64_t>(at(&part.ends.target, j));
        const auto e = static_cast<std::uint64_t>(at(part.edge_id, j));
        if (v < inner) continue;
        if (u < inner) ++held;
        compare_ends(check_kind::crossing_edges, part, j, e, static_cast<std::uint64_t>(at(part.id, u)), static_cast<std::uint64_t>(at(part.id, v)));
      }
      cut += config_.halo_hops == 0 ? 0 : cut_begin_[p + 1] - cut_begin_[p];
    }
    bool closing = true;
    if (held != cut) {
      for (std::size_t p = first; p < last; ++p) {
        open_part part;
        if (!usable_[p] || !open(p, part, reading::again)) continue;
        for (const bool with : {false, true}) differences[with ? 1 : 0] += check_halo(p, part, with, false);
      }
      closing = differences[1] <= differences[0];
    }
    for (std::size_t p = first; p < last; ++p) {
      if (options_.on_progress) options_.on_progress({"verify HALO", p - first, last - first, "parts"});
      open_part part;
      if (!usable_[p] || !open(p, part, reading::again)) continue;
      check_halo(p, part, closing, true);
    }
    if (options_.on_progress) options_.on_progress({"verify HALO", last - first, last - first, "parts"});
  }

  /// Compare a part's HALO with what its hops reach. @return the number of differences
  std::uint64_t check_halo(std::size_t p, const open_part& part, bool closing, bool report) {
    const std::uint64_t hops = config_.halo_hops, inner = nodes_.count(p);
    std::uint64_t differences = 0;
    const auto say = [&](const char* fault, const auto& make) {
      ++differences;
      if (report) findings_.add(check_kind::halo, part.file, fault, make);
    };
    // Distance against the edges, from the inner nodes, breadth first.
    std::vector<Id> reached;
    for (std::uint64_t i = 0; i < inner; ++i) {
      const auto v = static_cast<Id>(at(part.id, i));
      hop_[v] = 0;
      reached.push_back(v);
    }
    std::size_t from = 0;
    for (std::uint64_t hop = 1; hop <= hops && from < reached.size(); ++hop) {
      const std::size_t to = reached.size();
      for (; from < to; ++from) {
        const Id v = reached[from];
        for (auto k = in_begin_[v]; k < in_begin_[v + 1]; ++k) {
          const Id u = source_[in_edges_[k]];
          if (hop_[u] != none) continue;
          hop_[u] = static_cast<Id>(hop);
          reached.push_back(u);
        }
      }
    }
    // 1: expected, 2: there.
    std::vector<Id> expected(reached.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(inner, reached.size())), reached.end());
    for (const Id v : expected) member_[v] = 1;
    if (closing && hops > 0) {
      for (auto k = cut_begin_[p]; k < cut_begin_[p + 1]; ++k) {
        const Id v = target_[cut_edges_[k]];
        if (member_[v] != 0) continue;
        member_[v] = 1;
        expected.push_back(v);
      }
    }
    for (std::uint64_t i = inner; i < part.graph.nodes; ++i) {
      const auto v = static_cast<std::size_t>(at(part.id, i));
      if (member_[v] == 1) {
        member_[v] = 2;
      } else {
        say("HALO node", [&] { return "node " + text(i) + " (" + input_node(v) + ") does not belong to the HALO of " + text(hops) + " hops"; });
      }
    }
    for (const Id v : expected) {
      if (member_[v] == 1) say("no HALO node", [&] { return input_node(v) + " belongs to the HALO of " + text(hops) + " hops, but is not there"; });
      member_[v] = 0;
    }
    // Edges behind the inner ones: in-edges of the nodes that were expanded, and out-edges of inner nodes.
    const auto belongs = [&](Id u, Id v) {
      if (closing && hops > 0 && hop_[u] == 0) return true;
      return hop_[v] != none && hop_[v] >= 1 && hop_[v] < hops;
    };
    std::uint64_t first_other = 0, found = 0;
    while (first_other < part.graph.edges && static_cast<std::uint64_t>(at(&part.ends.target, first_other)) < inner) ++first_other;
    for (std::uint64_t j = first_other; j < part.graph.edges; ++j) {
      const auto u = static_cast<Id>(at(part.id, static_cast<std::uint64_t>(at(&part.ends.source, j))));
      const auto v = static_cast<Id>(at(part.id, static_cast<std::uint64_t>(at(&part.ends.target, j))));
      if (belongs(u, v)) {
        ++found;
      } else {
        say("other edge", [&] { return "edge " + text(j) + " (_ID " + text(at(part.edge_id, j)) + ") does not belong to a HALO of " + text(hops) + " hops"; });
      }
    }
    // Expected others: in-edges of expanded nodes, plus out-edges of inner nodes not among those.
    std::uint64_t wanted = 0;
    const auto each_wanted = [&](const auto& f) {
      for (std::size_t i = static_cast<std::size_t>(inner); i < reached.size(); ++i) {
        const Id v = reached[i];
        if (hop_[v] >= hops) continue;
        for (auto k = in_begin_[v]; k < in_begin_[v + 1]; ++k) f(in_edges_[k]);
      }
      if (!closing || hops == 0) return;
      for (auto k = cut_begin_[p]; k < cut_begin_[p + 1]; ++k) {
        const Id v = target_[cut_edges_[k]];
        if (hop_[v] == none || hop_[v] >= hops) f(cut_edges_[k]);
      }
    };
    each_wanted([&](Id) { ++wanted; });
    if (found != wanted) {
      // IDs ascend, so that they can be searched.
      each_wanted([&](Id e) {
        std::uint64_t low = first_other, high = part.graph.edges;
        while (low < high) {
          const std::uint64_t middle = low + (high - low) / 2;
          if (static_cast<std::uint64_t>(at(part.edge_id, middle)) < e) low = middle + 1;
          else high = middle;
        }
        if (low < part.graph.edges && static_cast<std::uint64_t>(at(part.edge_id, low)) == e) return;
        say("no other edge", [&] { return input_edge(e) + " (_ID " + text(std::uint64_t{e}) + ") belongs to the HALO of " + text(hops) + " hops, but is not there"; });
      });
    }
    for (const Id v : reached) hop_[v] = none;
    return differences;
  }

  // --- features ---------------------------------------------------------------------------------------

  struct feature_seen {
    dtype type{};
    tensor_shape row{};
    std::size_t part = 0;
    std::uint64_t rows = 0;
    std::size_t parts = 0;  // that have it
  };

  template <class Dataset>
  void check_features(std::size_t p, const open_part* part, const Dataset* input) {
    partition_features all;
    std::string files[2];
    try {
      const auto& paths = paths_of(config_, p);
      files[0] = config_.resolve(paths.node_features);
      files[1] = config_.resolve(paths.edge_features);
      all = load_partition_feats(config_, p, files_, formats_);
    } catch (const error& problem) {
      findings_.add(check_kind::features, config_.path, problem);
      return;
    }
    ++parts_with_features_;
    for (const bool of_nodes : {true, false}) {
      const std::string& file = files[of_nodes ? 0 : 1];
      const auto& tensors = of_nodes ? all.nodes : all.edges;
      for (const auto& one : tensors) {
        const auto slash = one.name.find('/');
        const auto t = find_type(of_nodes, std::string_view(one.name).substr(0, slash));
        const auto who = "feature " + graph_schema::quoted(one.name);
        if (!t) {
          findings_.add(check_kind::features, file, who + " names no " + noun(of_nodes) + " type of the config");
          continue;
        }
        const std::uint64_t rows = (of_nodes ? nodes_ : edges_).count(p, *t);
        if (one.value.rank() == 0 || (one.value.rows() != rows && !(edges_.mapped() && !of_nodes && config_.cut_edges_dropped))) {
          findings_.add(check_kind::features, file, who + " has shape " + to_string(one.value.shape()) + "; it must have " + text(rows) +
                                                        " rows, one for each inner " + noun(of_nodes) + " of its type");
          continue;
        }
        const auto feature_name = std::string_view(one.name).substr(slash + 1);
        check_same_feature(p, of_nodes, *t, feature_name, one.value, file);
        if (input != nullptr && truth_known_) compare_feature(p, of_nodes, *t, feature_name, one.value, file, *input);
      }
      if (input != nullptr && truth_known_) {
        const auto& wanted = of_nodes ? input->features.nodes : input->features.edges;
        for (const auto& feature : wanted) {
          if (feature.name == "_ID" || feature.name == (of_nodes ? "inner_node" : "inner_edge")) continue;  // never stored
          const auto type = of_nodes ? input->schema.node_types()[feature.type] : input->schema.edge_types()[feature.type].str();
          const auto t = find_type(of_nodes, type);
          const bool there = std::any_of(tensors.begin(), tensors.end(), [&](const auto& one) {
            const auto slash = one.name.find('/');
            return std::string_view(one.name).substr(slash + 1) == feature.name &&
                   find_type(of_nodes, std::string_view(one.name).substr(0, slash)) == t;
          });
          if (!there) {
            findings_.add(check_kind::features, file, "feature " + graph_schema::quoted(type + "/" + feature.name) +
                                                          " of the input is missing");
          }
        }
      }
    }
    note_trainers(p, part, all, files);
  }

  void check_same_feature(std::size_t p, bool of_nodes, std::size_t t, std::string_view feature_name, const tensor& value, const std::string& file) {
    auto& seen = seen_features_[{of_nodes, t, std::string(feature_name)}];
    const tensor_shape row(value.row_shape().begin(), value.row_shape().end());
    ++seen.parts;
    // DGL's dispatch pipeline writes float32 where a part has no row.
    const auto unsure = [](dtype type, std::uint64_t rows) { return rows == 0 && type == dtype::float32; };
    if (seen.parts == 1 || (unsure(seen.type, seen.rows) && !(seen.type == value.type() && value.rows() == 0))) {
      const std::size_t parts = seen.parts;
      seen = {value.type(), row, p, value.rows(), parts};
      return;
    }
    if (seen.type == value.type() && seen.row == row) return;
    if (unsure(value.type(), value.rows()) && seen.type != value.type()) return;
    findings_.add(check_kind::features, file, "feature " + graph_schema::quoted(feature_name) + " of type " + type_name(of_nodes, t) +
                                                  " has dtype " + std::string(name(value.type())) + " and rows of shape " + to_string(row) +
                                                  "; in part " + text(std::uint64_t{seen.part}) + " it has " + std::string(name(seen.type)) +
                                                  " and " + to_string(seen.row));
  }

  void check_features_agree(std::size_t first, std::size_t last) {
    if (parts_with_features_ != last - first) return;
    for (const auto& [key, seen] : seen_features_) {
      if (seen.parts == last - first) continue;
      const auto& [of_nodes, t, feature_name] = key;
      findings_.add(check_kind::features, config_.path, "feature " + graph_schema::quoted(feature_name) + " of type " + type_name(of_nodes, t) +
                                                            " is in " + text(std::uint64_t{seen.parts}) + " parts of " +
                                                            text(std::uint64_t{last - first}) + "; all must have it");
    }
  }

  template <class Dataset>
  void compare_feature(std::size_t p, bool of_nodes, std::size_t t, std::string_view feature_name, const tensor& value,
                       const std::string& file, const Dataset& input) {
    const auto type = static_cast<type_id>(of_nodes ? input_node_type_[t] : input_edge_type_[t]);
    const auto* wanted = of_nodes ? input.node_feature(type, feature_name) : input.edge_feature(type, feature_name);
    if (wanted == nullptr) {
      if (feature_name != "trainer_id") unknown_features_ = true;
      return;
    }
    const auto who = "feature " + graph_schema::quoted(feature_name) + " of type " + type_name(of_nodes, t);
    const auto& rows = wanted->rows;
    const bool empty_as_dispatched = value.rows() == 0 && value.type() == dtype::float32;
    const auto row_shape = rows.row_shape();
    if (!(stored_dtype(rows.type()) == stored_dtype(value.type()) && std::equal(row_shape.begin(), row_shape.end(), value.row_shape().begin(), value.row_shape().end()))) {
      if (empty_as_dispatched && rows.type() != dtype::float32) return;
      findings_.add(check_kind::features, file, who + " has dtype " + std::string(name(value.type())) + " and rows of shape " +
                                                    to_string(value.row_shape()) + "; the input's has " + std::string(name(stored_dtype(rows.type()))) +
                                                    " and " + to_string(row_shape));
      return;
    }
    const std::size_t width = value.row_bytes();
    if (width == 0) return;
    const auto& space = of_nodes ? nodes_ : edges_;
    const auto& old = of_nodes ? node_old_ : edge_old_;
    const std::size_t at_once = std::max<std::size_t>(1, (std::size_t{1} << 20) / width);
    std::vector<Id> ids;
    std::vector<std::uint64_t> asked;
    std::vector<std::byte> gathered;
    std::uint64_t cursor = 0, row = 0;
    for (std::uint64_t done = 0; done < space.count(p, t); done += ids.size()) {
      space.ids(p, t, done, at_once, ids, cursor);
      asked.clear();
      for (const Id id : ids) {
        if (!of_nodes && source_[id] == none) continue;  // dropped
        asked.push_back(old[id]);
      }
      gathered.resize(asked.size() * width);
      if (!rows.gather(std::span<const std::uint64_t>(asked), std::span(gathered))) raise(errc::internal, "an input feature lacks a row");
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
          return who + ", row " + text(row + i) + ", element " + text(std::uint64_t{byte / item_bytes(value.type())}) +
                 ", differs from the input's " + noun(of_nodes) + " " + text(asked[i]);
        });
      }
      row += asked.size();
    }
    if (row != value.rows()) findings_.add(check_kind::features, file, who + " has " + text(value.rows()) + " rows; it must have " + text(row));
  }

  // --- trainers ---------------------------------------------------------------------------------------

  /// `trainer_id` of nodes and of edges, written with several trainers per machine.
  void note_trainers(std::size_t p, const open_part* part, const partition_features& all, const std::string (&files)[2]) {
    std::vector<const tensor*> of_node(nodes_.types(), nullptr), of_edge(edges_.types(), nullptr);
    const auto collect = [&](bool of_nodes, const std::vector<named_tensor>& tensors, std::vector<const tensor*>& out) {
      for (const auto& one : tensors) {
        const auto slash = one.name.find('/');
        if (std::string_view(one.name).substr(slash + 1) != "trainer_id") continue;
        const auto t = find_type(of_nodes, std::string_view(one.name).substr(0, slash));
        if (t && one.value.rank() == 1 && one.value.type() == dtype::int64 && one.value.rows() == (of_nodes ? nodes_ : edges_).count(p, *t)) {
          out[*t] = &one.value;
        }
      }
      return !out.empty() && std::all_of(out.begin(), out.end(), [](const tensor* one) { return one != nullptr; });
    };
    const bool nodes_have = collect(true, all.nodes, of_node), edges_have = collect(false, all.edges, of_edge);
    if (!nodes_have || !edges_have || trainers_are_input_) return;  // a user's own feature of that name
    std::vector<std::int64_t> trainer;  // of inner nodes, by local ID
    for (std::size_t t = 0; t < nodes_.types(); ++t) {
      for (std::uint64_t i = 0; i < of_node[t]->rows(); ++i) trainer.push_back(of_node[t]->integer(static_cast<std::size_t>(i)));
    }
    if (!trainer.empty()) {
      const auto [low, high] = std::minmax_element(trainer.begin(), trainer.end());
      trainer_ranges_.push_back({p, *low, *high, files[0]});
    }
    if (!assigned_.empty() && truth_known_) {
      std::size_t local = 0;
      for (std::size_t t = 0; t < nodes_.types(); ++t) {
        std::vector<Id> ids;
        std::uint64_t cursor = 0;
        nodes_.ids(p, t, 0, static_cast<std::size_t>(nodes_.count(p, t)), ids, cursor);
        for (std::size_t i = 0; i < ids.size(); ++i, ++local) {
          const auto wanted = static_cast<std::int64_t>(assigned_[original_place(ids[i])]);
          if (trainer[local] == wanted) continue;
          findings_.add(check_kind::features, files[0], "node trainer", [&] {
            return "trainer_id, row " + text(std::uint64_t{i}) + " of type " + node_type_name(t) + " is " + text(trainer[local]) +
                   "; the assignment says " + text(wanted);
          });
        }
      }
    }
    if (part == nullptr) return;
    std::uint64_t local = 0;
    for (std::size_t r = 0; r < edges_.types(); ++r) {
      for (std::uint64_t i = 0; i < of_edge[r]->rows(); ++i, ++local) {
        const auto target = static_cast<std::size_t>(at(&part->ends.target, local));
        const std::int64_t value = of_edge[r]->integer(static_cast<std::size_t>(i));
        if (value == trainer[target]) continue;
        findings_.add(check_kind::features, files[1], "edge trainer", [&] {
          return "trainer_id, row " + text(i) + " of type " + edge_type_name(r) + " is " + text(value) + "; its target, node " +
                 text(std::uint64_t{target}) + ", has " + text(trainer[target]);
        });
      }
    }
  }

  struct trainer_range {
    std::size_t part;
    std::int64_t low, high;
    std::string file;
  };

  /// Is there a T so that trainer / T is the part, everywhere? Else name the part that breaks it.
  void check_trainers() {
    const auto within = [](const trainer_range& range, std::uint64_t trainers) {
      const auto begin = range.part * trainers;
      return range.low >= 0 && static_cast<std::uint64_t>(range.low) >= begin && static_cast<std::uint64_t>(range.high) < begin + trainers;
    };
    if (trainer_ranges_.empty()) return;
    // A T that suits every part suits the narrowest bounds; try those that some part sets.
    std::uint64_t best = 0;
    std::size_t most = 0;
    const auto attempt = [&](std::uint64_t trainers) {
      std::size_t suited = 0;
      for (const auto& range : trainer_ranges_) suited += within(range, trainers) ? 1u : 0u;
      if (trainers != 0 && suited > most) {
        most = suited;
        best = trainers;
      }
    };
    for (const auto& range : trainer_ranges_) {
      if (range.high < 0) continue;
      attempt(static_cast<std::uint64_t>(range.high) / (range.part + 1) + 1);
      if (range.part != 0 && range.low > 0) attempt(static_cast<std::uint64_t>(range.low) / range.part);
    }
    for (const auto& range : trainer_ranges_) {
      if (best != 0 && within(range, best)) continue;
      findings_.add(check_kind::features, range.file, "trainer_id of part " + text(std::uint64_t{range.part}) + " reaches from " + text(range.low) +
                                                          " to " + text(range.high) + "; with " + text(best) + " trainers per machine it must be " +
                                                          text(range.part * best) + " to " + text((range.part + 1) * best - 1));
    }
  }

  const partition_config& config_;
  const verify_options& options_;
  const Files& files_;
  const Formats& formats_;
  id_space nodes_, edges_;
  verification& out_;
  finding_list& findings_;

  std::vector<Id> node_old_{}, edge_old_{};  // [V], [E] original typed IDs by new ID; empty where unknown
  std::vector<std::vector<bool>> seen_nodes_{}, seen_edges_{};  // by type
  bool mapping_good_ = false, mapping_partial_ = false;
  bool ours_ = false;                // there is a manifest
  std::set<std::string> changed_{};  // files that differ from it
  std::vector<std::size_t> input_node_type_{}, input_edge_type_{};  // by config type
  std::vector<std::uint64_t> input_nodes_{}, input_edges_{};
  std::vector<part_id> assigned_{};  // [V] by original ID, the config's types laid end to end
  std::uint64_t trainers_ = 1;
  std::vector<Id> new_node_{};       // [V] likewise
  bool truth_known_ = false;         // source_ and target_ are the input's
  std::vector<Id> source_{}, target_{};  // [E] new IDs of the ends, by new edge ID; none where absent
  std::vector<bool> usable_{};
  std::uint64_t kept_edges_ = 0;
  std::vector<std::pair<std::string, dtype>> signature_{};
  std::uint8_t formats_stored_ = 0;
  std::vector<Id> in_begin_{}, in_edges_{}, cut_edges_{};
  std::vector<std::uint64_t> cut_begin_{};
  std::vector<Id> hop_{};
  std::vector<std::uint8_t> member_{};
  std::map<std::tuple<bool, std::size_t, std::string>, feature_seen> seen_features_{};
  std::size_t parts_with_features_ = 0;
  bool unknown_features_ = false, trainers_are_input_ = false;
  std::vector<trainer_range> trainer_ranges_{};
};

/// Ownership as the config says, checked for itself and against the library's own book.
/// @return false where the rest cannot be judged
template <class Files>
bool bind_spaces(const partition_config& config, const Files& files, id_space& nodes, id_space& edges, finding_list& findings) {
  findings.done(check_kind::book);
  if (config.parts.size() < config.num_parts) {
    findings.add(check_kind::book, config.path, "key \"part-" + std::to_string(config.parts.size()) + "\" is missing; there are " +
                                                    std::to_string(config.num_parts) + " parts");
    return false;
  }
  try {
    const auto book = load_partition_book(config, 0, files);
    std::string sentence;
    if (config.reshuffled()) {
      if (!nodes.bind(config.node_map, config.num_parts, config.num_nodes, "node", sentence) ||
          !edges.bind(config.edge_map, config.num_parts, config.num_edges, "edge", sentence)) {
        findings.add(check_kind::book, config.path, std::move(sentence));
        return false;
      }
    } else {
      const auto owners = [&](const std::string& file) {
        const std::string path = config.resolve(file);
        const tensor column = read_npy(files(path), path);  // load_partition_book has checked it
        std::vector<part_id> out(static_cast<std::size_t>(column.rows()));
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<part_id>(column.integer(i));
        return out;
      };
      nodes.bind(owners(config.node_map_file), config.nodes_per_type, config.num_parts);
      edges.bind(owners(config.edge_map_file), config.edges_per_type, config.num_parts);
      const std::uint64_t dropped = config.cut_edges_dropped.value_or(0);
      if (nodes.size() != config.num_nodes || edges.size() - std::min(dropped, edges.size()) != config.num_edges) {
        findings.add(check_kind::book, config.path, "the maps hold " + std::to_string(nodes.size()) + " nodes and " +
                                                        std::to_string(edges.size()) + " edges, \"num_nodes\" and \"num_edges\" say otherwise");
        return false;
      }
    }
    // First and last ID of every cell, where searches go wrong.
    std::visit([&](const auto& answers) {
      const auto compare = [&](const id_space& space, const char* noun, const auto& part_of, const auto& typed) {
        for (std::size_t p = 0; p < config.num_parts; ++p) {
          for (std::size_t t = 0; t < space.types(); ++t) {
            const std::uint64_t count = space.count(p, t);
            if (count == 0 || space.mapped()) continue;
            for (const std::uint64_t id : {space.first(p, t), space.first(p, t) + count - 1}) {
              if (part_of(id) == p && typed(id) == t) continue;
              findings.add(check_kind::book, config.path, std::string("the partition book places ") + noun + " " + std::to_string(id) + " in part " +
                                                              std::to_string(part_of(id)) + ", type " + std::to_string(typed(id)) + "; it is of part " +
                                                              std::to_string(p) + ", type " + std::to_string(t));
            }
          }
        }
      };
      compare(nodes, "node", [&](std::uint64_t id) { return answers.nid2partid(id); },
              [&](std::uint64_t id) { return answers.map_to_per_ntype(id).type; });
      compare(edges, "edge", [&](std::uint64_t id) { return answers.eid2partid(id); },
              [&](std::uint64_t id) { return answers.map_to_per_etype(id).type; });
    }, book);
  } catch (const error& problem) {
    findings.add(check_kind::book, config.path, problem);
    return false;
  }
  return true;
}

template <class Dataset, class Files, class Codec, class Formats>
verification verify(const std::string& path, const Dataset* input, const Files& files, const Codec& codec, const Formats& formats,
                    const verify_options& options) {
  verification out;
  finding_list findings(out, options.most_findings);
  partition_config config = read_config(path, files, codec);
  if (options.part && *options.part >= config.num_parts) {
    raise(errc::out_of_range, "part " + std::to_string(*options.part) + " does not exist; parts are 0 to " + std::to_string(config.num_parts - 1),
          {path, {}, {}});
  }
  out.nodes = config.num_nodes;
  out.edges = config.num_edges;
  if (config.parts.size() >= config.num_parts) {
    try {
      resolve_relations(config, files, formats);
    } catch (const error& problem) {
      findings.add(check_kind::structure, path, problem);
      return out;
    }
  }
  id_space nodes, edges;
  if (!bind_spaces(config, files, nodes, edges, findings)) return out;
  constexpr std::uint64_t narrow = 0xFFFFFFFEu;
  if (nodes.size() < narrow && edges.size() < narrow) {
    verifier<std::uint32_t, Files, Formats>(config, options, files, formats, std::move(nodes), std::move(edges), out, findings).run(input);
  } else {
    verifier<std::uint64_t, Files, Formats>(config, options, files, formats, std::move(nodes), std::move(edges), out, findings).run(input);
  }
  return out;
}

}  // namespace detail

/// Prove a partition folder by itself: that its parts fit its config and one another.
///
/// @param path     the config JSON
/// @param files    opens files; mapped ones cost least, since parts are read twice
/// @param formats  the formats it may be in: format_set<dgl_serializer, native_serializer>
/// @return         what was found wrong, if anything
/// @errors         those of read_config: where the config itself cannot be read there is nothing to judge
/// @complexity     O(V + E + sizes of the parts) time, 16 bytes per edge and 12 per node with 32-bit IDs
template <file_opener Files, json_codec Codec, class Formats>
verification verify_partition(const std::string& path, const Files& files, const Codec& codec, const Formats& formats,
                              const verify_options& options = {}) {
  if (!options.assignment.empty()) raise(errc::invalid_argument, "an assignment can be verified against an input graph alone");
  return detail::verify<dataset<>>(path, nullptr, files, codec, formats, options);
}

/// The same, and that it is a partitioning of `input`: through the original IDs saved with it, or, where there
/// are none, through the assignment and the order in which partition_graph numbers.
///
/// @param input    the graph and features that were partitioned
/// @errors         those of read_config; not_found: neither original IDs nor an assignment is there;
///                 mismatch: the assignment is of another number of nodes
/// @complexity     as above, 8 bytes more per node and 4 per edge; O(E log E) time by assignment
template <file_opener Files, json_codec Codec, class Formats, id Node, id Edge>
verification verify_partition(const std::string& path, const dataset<Node, Edge>& input, const Files& files, const Codec& codec,
                              const Formats& formats, const verify_options& options = {}) {
  return detail::verify(path, &input, files, codec, formats, options);
}

/// The answer as the members of a JSON object: parts, nodes, edges, checks, count, findings, notes.
inline json::value to_json(const verification& answer) {
  json::value root{json::object{}}, checks{json::object{}}, findings{json::array{}}, notes{json::array{}};
  root.set("parts", answer.parts);
  root.set("nodes", answer.nodes);
  root.set("edges", answer.edges);
  for (std::size_t i = 0; i < check_kinds; ++i) {
    json::value check;
    check.set("done", answer.checks[i].done).set("findings", answer.checks[i].findings);
    checks.set(std::string(name(static_cast<check_kind>(i))), std::move(check));
  }
  for (const auto& one : answer.findings) {
    json::value found;
    found.set("check", name(one.check)).set("file", one.file).set("message", one.sentence);
    findings.push(std::move(found));
  }
  for (const auto& one : answer.notes) notes.push(one);
  root.set("checks", std::move(checks));
  root.set("count", answer.count);
  root.set("findings", std::move(findings));
  root.set("notes", std::move(notes));
  return root;
}

}  // namespace halograph

// SPDX-License-Identifier: BSL-1.0
/// @file convert_ranks.ipp
/// Bodies of the plain functions of parmetis/convert_ranks.hpp.
/// Layer: parmetis. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/block_range.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/executor.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/radix_sort.hpp>
#include <halograph/core/search.hpp>
#include <halograph/folder/assignment_files.hpp>
#include <halograph/parmetis/attributes.hpp>
#include <halograph/parmetis/convert_ranks.hpp>
#include <halograph/parmetis/files.hpp>
#include <halograph/parmetis/parts_reader.hpp>
#include <halograph/pipeline/out_of_core/nodes.hpp>
#include <halograph/schema/schema.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/dtype.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/path.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/npy.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/text/pieces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

/// Reads a rank's parts, and writes its chunks.
class parmetis_rank_reader : parmetis_parts_reader<std::uint64_t> {
  using Node = std::uint64_t;
  using base = parmetis_parts_reader<Node>;

 public:
  parmetis_rank_reader(const std::string& folder, const std::string& graph,
                       const parmetis_schema& schema, const parmetis_parts_options& options,
                       const std::string& to, const any_file_opener& open, executor_ref executor,
                       communicator_ref ranks)
      : base(folder, graph, schema, options, open, executor),
        to_(to),
        ranks_(ranks),
        rank_(static_cast<std::size_t>(ranks.rank())),
        size_(static_cast<std::size_t>(ranks.size())) {}

  /// Inside run_collective().
  parmetis_chunks write() {
    require_same(ranks_, asked(), "converts with other options than",
                 "they and the schema must be the same on all ranks");
    base::check_options(id_capacity<Node>(), 8 * sizeof(Node));
    if (options_.node_attributes)
      require_npy_dtypes(schema_.node_attributes, options_.node_attribute_type);
    if (options_.edge_attributes)
      require_npy_dtypes(schema_.edge_attributes, options_.edge_attribute_type);
    for (std::uint64_t p = 0; p < options_.parts; ++p)
      node_files_.open(path_in(folder_, names_.part_nodes(p)), open_);
    for (std::uint64_t p = 0; p < options_.parts; ++p)
      edge_files_.open(path_in(folder_, names_.part_edges(p)), open_);
    if (!options_.removed_edges.empty()) edge_files_.open(options_.removed_edges, open_);
    std::vector<std::uint64_t> seen;
    for (const auto* files : {&node_files_, &edge_files_}) {
      for (std::size_t i = 0; i < files->size(); ++i) seen.push_back(glance_at((*files)[i].text()));
    }
    require_same(ranks_, digest_of(std::as_bytes(std::span(seen))),
                 "reads other files of parts than", "they must be the same for all ranks");
    parts_ = block_range(options_.parts, rank_, size_);
    nodes_ = block_range(schema_.num_nodes(), rank_, size_);
    share_nodes();
    base::join_types();
    share_edges();
    agree_on_ends();
    types_ = base::describe_types();
    for (std::size_t r = 0; r < slots_.size(); ++r) order_type(r);
    count_edges();
    make_folders();
    write_owners();
    write_edges();
    if (options_.node_attributes) write_attributes(true);
    if (options_.edge_attributes) write_attributes(false);
    if (rank_ == 0) write_metadata_file();
    parmetis_chunks made;
    made.restored = all_reduce_sum(ranks_, restored_);
    made.missing = missing_;
    made.uncounted = uncounted_;
    if (all_reduce_max(ranks_, reordered_ ? 1 : 0) != 0)
      made.notes.push_back(base::reordered_note());
    base::note_counts(made.missing, made.uncounted, made.notes);
    return made;
  }

 private:
  /// An edge sent to the owner of its ID; with type no_type: a new ID, `id`, and the original ID,
  /// `source`, that a row gives it. Rows and attributes are places in edge_files_.
  struct edge_record {
    std::uint64_t id, source, target, row, attributes, type;
  };
  struct node_record {
    std::uint64_t old, row, attributes;
  };
  struct held_edge {
    std::uint64_t id, row, attributes;
    Node source, target;
  };
  /// What must be the same on all ranks.
  std::string asked() const {
    const auto type = [](std::optional<dtype> of) {
      return of ? std::string(name(*of)) : std::string();
    };
    return json::print(json::object{{"graph", names_.graph},
                                    {"schema", to_json(schema_)},
                                    {"parts", options_.parts},
                                    {"weights", options_.weights},
                                    {"removed_edges", !options_.removed_edges.empty()},
                                    {"node_attributes", options_.node_attributes},
                                    {"edge_attributes", options_.edge_attributes},
                                    {"node_attribute_type", type(options_.node_attribute_type)},
                                    {"edge_attribute_type", type(options_.edge_attribute_type)}},
                       0);
  }
  static constexpr std::uint64_t no_type = ~std::uint64_t{0};
  static constexpr std::uint64_t exchange_bytes = std::uint64_t{16} << 20;

  void sum_words(std::vector<std::uint64_t>& words) const {
    check_peers(ranks_);
    check_ranks(ranks_.sum(words));
  }

  void share_nodes() {
    begin_.assign(static_cast<std::size_t>(options_.parts) + 1, 0);
    std::vector<node_rows> rows;
    std::vector<std::uint64_t> found(schema_.node_types.size());
    for (auto p = static_cast<std::size_t>(parts_.begin); p < parts_.end; ++p) {
      base::tell(p - parts_.begin);
      rows.push_back(base::read_node_rows(node_files_[p], p));
      begin_[p + 1] = rows.back().fresh.size();
      base::count_types(rows.back(), found);
    }
    sum_words(begin_);
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    sum_words(found);
    base::check_found(found);
    old_of_new_.reserve(static_cast<std::size_t>(begin_[static_cast<std::size_t>(parts_.end)] -
                                                 begin_[static_cast<std::size_t>(parts_.begin)]));
    owner_.assign(static_cast<std::size_t>(nodes_.size()), nobody);
    if (options_.node_attributes) node_places_.resize(owner_.size());

    record_exchange exchange(ranks_, sizeof(node_record),
                             records_per_round(exchange_bytes, size_, sizeof(node_record)));
    std::size_t at = 0, i = 0;  // part, row
    exchange.run(
        [&](std::uint64_t) {
          for (; at < rows.size(); ++at, i = 0) {
            const auto p = static_cast<std::size_t>(parts_.begin) + at;
            node_rows& part = rows[at];
            for (; i < part.fresh.size(); ++i) {
              if (exchange.room() == 0) return true;
              base::check_order(part, i, begin_[p] + i, node_files_[p]);
              reordered_ = reordered_ || base::is_reordered(part, i);
              const std::uint64_t old = schema_.node_ranges[part.type[i]].begin + part.typed[i];
              old_of_new_.push_back(static_cast<Node>(old));
              exchange.push(
                  static_cast<std::size_t>(block_range_of(schema_.num_nodes(), old, size_)),
                  node_record{old, part.row[i] + node_files_[p].base,
                              part.attributes.empty() ? 0 : part.attributes[i]});
            }
            part = {};
          }
          return false;
        },
        [&](std::uint64_t, std::size_t, std::span<const std::byte> bytes) {
          for_each_record<node_record>(bytes, [&](const node_record& one) {
            const auto v = static_cast<std::size_t>(one.old - nodes_.begin);
            if (owner_[v] != nobody)
              base::refuse_second_node(one.old, owner_[v], node_files_.line_of(one.row));
            owner_[v] = static_cast<part_id>(node_files_.file_of(one.row));
            if (options_.node_attributes) node_places_[v] = one.attributes;
          });
        });
  }

  /// The owner of an edge; the last rank owns IDs beyond the schema's counts.
  std::size_t rank_of_edge(std::size_t r, std::uint64_t id) const {
    const std::uint64_t count = schema_.edge_ranges[r].size();
    return id >= count ? size_ - 1 : static_cast<std::size_t>(block_range_of(count, id, size_));
  }
  std::size_t part_of_new(std::uint64_t fresh) const {
    return range_of<std::uint64_t>(begin_, fresh);
  }
  /// @pre fresh is in one of this rank's parts
  void check_new(std::uint64_t fresh, std::uint64_t here, std::uint64_t row) const {
    const auto old = static_cast<std::uint64_t>(old_of_new_[static_cast<std::size_t>(
        fresh - begin_[static_cast<std::size_t>(parts_.begin)])]);
    if (old != here) base::refuse_new_id(fresh, old, here, edge_files_.line_of(row));
  }
  /// This rank's lines of the removed edges.
  edge_rows removed_rows() const {
    const kept_texts::entry& from = edge_files_.back();
    const std::string_view mine = share_of_text(from.text(), rank_, size_);
    auto pieces = cut_text(mine, base::shortest_edge_row(false), executor_);
    const std::uint64_t before = count_line_ends(from.text().data(), mine.data());
    for (auto& piece : pieces) piece.first_line += before;
    return base::read_edge_rows(from, std::move(pieces), false);
  }

  void share_edges() {
    slots_.resize(schema_.edge_names.size());
    // An edge takes up to two records, so a round must hold at least two.
    record_exchange exchange(
        ranks_, sizeof(edge_record),
        std::max<std::size_t>(records_per_round(exchange_bytes, size_, sizeof(edge_record)), 2));
    const auto files = static_cast<std::size_t>(parts_.size()) +
                       (options_.removed_edges.empty() ? 0 : 1);
    edge_rows rows;
    std::size_t at = 0, i = 0;
    bool read = false;
    exchange.run(
        [&](std::uint64_t) {
          for (; at < files; ++at, i = 0, read = false) {
            const bool of_part = at < parts_.size();
            const auto p = static_cast<std::size_t>(parts_.begin) + at;
            const kept_texts::entry& from = of_part ? edge_files_[p] : edge_files_.back();
            if (!read) {
              base::tell(static_cast<std::uint64_t>(parts_.size()) + at);
              rows = of_part ? base::read_edge_rows(
                                   from,
                                   cut_text(from.text(), base::shortest_edge_row(true), executor_),
                                   true)
                             : removed_rows();
              if (of_part)
                base::check_stats(p, rows.ids.size(), false);
              else
                restored_ = rows.ids.size();
              read = true;
            }
            for (; i < rows.ids.size(); ++i) {
              if (exchange.room() < 2) return true;
              const auto u = static_cast<std::uint64_t>(rows.ends[2][i]),
                         v = static_cast<std::uint64_t>(rows.ends[3][i]),
                         row = rows.row[i] + from.base;
              if (of_part) {
                const auto new_u = static_cast<std::uint64_t>(rows.ends[0][i]),
                           new_v = static_cast<std::uint64_t>(rows.ends[1][i]);
                const auto owner = static_cast<std::size_t>(
                    block_range_of(options_.parts, part_of_new(new_u), size_));
                if (owner == rank_)
                  check_new(new_u, u, row);
                else
                  exchange.push(owner, edge_record{new_u, u, 0, row, 0, no_type});
                if (const std::size_t has = part_of_new(new_v); has != p)
                  base::refuse_part(has, p, edge_files_.line_of(row));
                check_new(new_v, v, row);
              }
              exchange.push(
                  rank_of_edge(rows.type[i], rows.ids[i]),
                  edge_record{rows.ids[i], u, v, row,
                              rows.attributes.empty() ? 0 : rows.attributes[i], rows.type[i]});
            }
            rows = {};
          }
          return false;
        },
        [&](std::uint64_t, std::size_t, std::span<const std::byte> bytes) {
          for_each_record<edge_record>(bytes, [&](const edge_record& one) {
            if (one.type == no_type) return check_new(one.id, one.source, one.row);
            slots_[static_cast<std::size_t>(one.type)].push_back({one.id, one.row, one.attributes,
                                                                  static_cast<Node>(one.source),
                                                                  static_cast<Node>(one.target)});
          });
        });
    old_of_new_ = {};
  }

  std::pair<type_id, type_id> ends_of(const held_edge& one) const {
    return {static_cast<type_id>(schema_.node_type(static_cast<std::uint64_t>(one.source))),
            static_cast<type_id>(schema_.node_type(static_cast<std::uint64_t>(one.target)))};
  }
  /// An edge type without declared node types gets those of its first row.
  void agree_on_ends() {
    std::vector<std::uint64_t> mine(3 * slots_.size(), any);
    for (std::size_t r = 0; r < slots_.size(); ++r) {
      if (ends_[r] || slots_[r].empty()) continue;
      const auto& first = *std::min_element(
          slots_[r].begin(), slots_[r].end(),
          [](const held_edge& a, const held_edge& b) { return a.row < b.row; });
      const auto ends = ends_of(first);
      mine[3 * r] = first.row;
      mine[3 * r + 1] = ends.first;
      mine[3 * r + 2] = ends.second;
    }
    const auto all = gather_numbers(ranks_, mine);
    for (std::size_t r = 0; r < slots_.size(); ++r) {
      std::uint64_t least = any;
      for (std::size_t from = 0; from < size_; ++from) {
        const std::uint64_t* const told = all.data() + from * mine.size() + 3 * r;
        if (ends_[r] && least == any) break;  // the schema's
        if (told[0] >= least) continue;
        least = told[0];
        ends_[r] = std::pair{static_cast<type_id>(told[1]), static_cast<type_id>(told[2])};
      }
      const held_edge* wrong = nullptr;
      for (const auto& one : slots_[r]) {
        if (ends_of(one) != *ends_[r] && (wrong == nullptr || one.row < wrong->row)) wrong = &one;
      }
      if (wrong != nullptr) base::refuse_ends(r, ends_of(*wrong), edge_files_.line_of(wrong->row));
    }
  }
  /// Sort a type by ID, and check that each occurs once.
  void order_type(std::size_t r) {
    auto& edges = slots_[r];
    std::uint64_t largest = 0;
    for (const auto& one : edges) largest = std::max(largest, one.id);
    {
      std::vector<held_edge> scratch(edges.size());
      radix_sort(
          std::span(edges), std::span(scratch), [](const held_edge& one) { return one.id; },
          largest);
    }
    for (std::size_t i = 1; i < edges.size(); ++i) {
      if (edges[i].id == edges[i - 1].id)
        base::refuse_second_edge(r, edges[i].id,
                                 edge_files_.line_of(std::max(edges[i].row, edges[i - 1].row)));
    }
  }
  void count_edges() {
    std::vector<std::uint64_t> counts, inside;  // edges; those with IDs that the schema counts
    for (std::size_t r = 0; r < slots_.size(); ++r) {
      const auto& edges = slots_[r];
      const auto beyond = std::lower_bound(
          edges.begin(), edges.end(), schema_.edge_ranges[r].size(),
          [](const held_edge& one, std::uint64_t id) { return one.id < id; });
      counts.push_back(edges.size());
      inside.push_back(static_cast<std::uint64_t>(beyond - edges.begin()));
    }
    counts_ = gather_numbers(ranks_, counts);
    sum_words(inside);
    totals_.assign(slots_.size(), 0);
    for (std::size_t r = 0; r < slots_.size(); ++r) {
      for (std::size_t from = 0; from < size_; ++from)
        totals_[r] += counts_[from * slots_.size() + r];
      missing_ += schema_.edge_ranges[r].size() - inside[r];
      uncounted_ += totals_[r] - inside[r];
    }
  }

  static std::string edge_prefix(const std::string& type) {
    return "edge_index/" + type + "-";
  }  // a type's name may end in digits
  static std::string feature_prefix(bool of_nodes, const std::string& type,
                                    const std::string& name) {
    return (of_nodes ? "node_data/" : "edge_data/") + type + "/" + name + "-";
  }
  std::string type_name(bool of_nodes, std::size_t t) const {
    return of_nodes ? types_.node_types()[t] : types_.edge_types()[t].str();
  }

  void make_folders() {
    if (rank_ == 0) {
      std::vector<std::string> folders{"assignment", "edge_index"};
      for (std::size_t t = 0; t < types_.node_types().size() && options_.node_attributes; ++t)
        folders.push_back("node_data/" + type_name(true, t));
      for (std::size_t r = 0; r < slots_.size() && options_.edge_attributes; ++r)
        folders.push_back("edge_data/" + type_name(false, r));
      for (const auto& folder : folders) {
        std::error_code problem;
        std::filesystem::create_directories(to_ + "/" + folder, problem);
        if (problem) raise_io(to_ + "/" + folder, "create the folder", problem.value());
      }
    }
    check_peers(ranks_);
  }

  /// This rank's nodes of a type, as positions in its slice.
  std::pair<std::size_t, std::size_t> slice_of(std::size_t t) const {
    const auto place = [&](std::uint64_t node) {
      return static_cast<std::size_t>(std::clamp(node, nodes_.begin, nodes_.end) - nodes_.begin);
    };
    return {place(schema_.node_ranges[t].begin), place(schema_.node_ranges[t].end)};
  }
  void write_owners() {
    const std::size_t count = schema_.node_types.size();
    const auto column = [&](std::size_t t) {
      const auto [first, last] = slice_of(t);
      return std::span<const part_id>(owner_).subspan(first, last - first);
    };
    std::vector<std::uint64_t> mine;
    for (std::size_t t = 0; t < count; ++t) mine.push_back(part_column_bytes(column(t)));
    const auto all = gather_numbers(ranks_, mine);
    const auto file = [&](std::size_t t) {
      return assignment_file(to_ + "/assignment", schema_.node_types, t);
    };
    const auto bytes_before = [&](std::size_t t, std::size_t end) {
      std::uint64_t sum = 0;
      for (std::size_t from = 0; from < end; ++from) sum += all[from * count + t];
      return sum;
    };
    for (std::size_t t = 0; t < count && rank_ == 0; ++t)
      file_sink::create(file(t), bytes_before(t, size_)).close();
    check_peers(ranks_);
    for (std::size_t t = 0; t < count; ++t) {
      if (mine[t] == 0) continue;
      auto sink = file_sink::open(file(t));
      write_part_column(sink, bytes_before(t, rank_), column(t));
      sink.close();
    }
    owner_ = {};
  }

  void write_edges() {
    std::vector<std::int64_t> pairs;
    for (std::size_t r = 0; r < slots_.size(); ++r) {
      const auto& edges = slots_[r];
      const std::string file = to_ + "/" + edge_prefix(type_name(false, r)) +
                               std::to_string(rank_) + ".npy";
      const auto layout = npy_layout(file, dtype::int64, {edges.size(), 2});
      auto sink = file_sink::create(file, layout.bytes);
      sink.require(write_literals(layout, sink));
      const std::uint64_t from = schema_.node_ranges[ends_[r]->first].begin,
                          to = schema_.node_ranges[ends_[r]->second].begin;
      constexpr std::size_t block = std::size_t{1} << 16;
      for (std::size_t first = 0; first < edges.size(); first += block) {
        const std::size_t last = std::min(edges.size(), first + block);
        pairs.clear();
        for (std::size_t i = first; i < last; ++i) {
          pairs.push_back(
              static_cast<std::int64_t>(static_cast<std::uint64_t>(edges[i].source) - from));
          pairs.push_back(
              static_cast<std::int64_t>(static_cast<std::uint64_t>(edges[i].target) - to));
        }
        sink.require(
            write_as(sink, layout.sections.at(0), 2 * first, std::span<const std::int64_t>(pairs)));
      }
      sink.close();
    }
  }

  void write_attributes(bool of_nodes) {
    const std::size_t count = of_nodes ? schema_.node_types.size() : slots_.size();
    json::value& list = of_nodes ? node_data_ : edge_data_;
    for (std::size_t t = 0; t < count; ++t) {
      std::vector<std::uint64_t> places;
      if (of_nodes) {
        const auto [first, last] = slice_of(t);
        places.assign(node_places_.begin() + static_cast<std::ptrdiff_t>(first),
                      node_places_.begin() + static_cast<std::ptrdiff_t>(last));
      } else {
        for (const auto& one : slots_[t]) places.push_back(one.attributes);
        slots_[t] = {};
      }
      const auto firsts = gather_numbers(ranks_, places.empty() ? any : places[0]);
      const auto known = std::find_if(firsts.begin(), firsts.end(),
                                      [](std::uint64_t place) { return place != any; });
      const auto [columns, tensors] = attributes_of_type(
          of_nodes ? node_files_ : edge_files_, t,
          of_nodes ? schema_.node_attributes : schema_.edge_attributes,
          of_nodes ? options_.node_attribute_type : options_.edge_attribute_type, places,
          known == firsts.end() ? std::nullopt : std::optional(*known),
          [&](bool here) { return all_reduce_max(ranks_, here ? 1 : 0) != 0; }, executor_);
      json::value of_type;
      for (std::size_t f = 0; f < columns.size(); ++f) {
        const std::string prefix = feature_prefix(of_nodes, type_name(of_nodes, t),
                                                  columns[f].name);
        const std::string file = to_ + "/" + prefix + std::to_string(rank_) + ".npy";
        const auto layout = npy_layout(file, columns[f].element, tensors[f].shape());
        auto sink = file_sink::create(file, layout.bytes);
        sink.require(write_literals(layout, sink));
        if (!tensors[f].bytes().empty()) {
          std::vector<std::byte> bytes(tensors[f].bytes().begin(), tensors[f].bytes().end());
          swap_elements_to_little_endian(bytes, item_bytes(columns[f].element));
          sink.require(sink.write_at(layout.sections.at(0).offset, bytes));
        }
        sink.close();
        of_type.set(columns[f].name, list_of(prefix));
      }
      if (!of_type.is_null()) list.set(type_name(of_nodes, t), std::move(of_type));
    }
  }

  /// A chunk of each rank.
  json::value list_of(const std::string& prefix) const {
    json::value files{json::array{}};
    for (std::size_t r = 0; r < size_; ++r) files.push(prefix + std::to_string(r) + ".npy");
    return json::object{{"format", json::object{{"name", "numpy"}}}, {"data", std::move(files)}};
  }
  void write_metadata_file() const {
    json::value nodes{json::array{}}, edges{json::array{}}, node_counts{json::array{}},
        edge_counts{json::array{}}, lists{json::object{}};
    for (std::size_t t = 0; t < schema_.node_types.size(); ++t) {
      nodes.push(schema_.node_types[t]);
      node_counts.push(schema_.node_ranges[t].size());
    }
    for (std::size_t r = 0; r < totals_.size(); ++r) {
      edges.push(type_name(false, r));
      edge_counts.push(totals_[r]);
      lists.set(type_name(false, r), list_of(edge_prefix(type_name(false, r))));
    }
    const std::string text = json::print(
        json::object{{"graph_name", names_.graph},
                     {"node_type", std::move(nodes)},
                     {"num_nodes_per_type", std::move(node_counts)},
                     {"edge_type", std::move(edges)},
                     {"num_edges_per_type", std::move(edge_counts)},
                     {"edges", std::move(lists)},
                     {"node_data", node_data_},
                     {"edge_data", edge_data_}});
    auto sink = file_sink::create(to_ + "/metadata.json", text.size());
    sink.require(sink.write_at(0, std::as_bytes(std::span(text.data(), text.size()))));
    sink.close();
  }

  const std::string& to_;
  communicator_ref ranks_;
  std::size_t rank_, size_;
  id_range parts_{}, nodes_{};                   // own: parts that are read, nodes by original ID
  std::vector<std::uint64_t> begin_{};           // [P+1] first new ID of each part
  std::vector<part_id> owner_{};                 // of own nodes
  std::vector<std::vector<held_edge>> slots_{};  // [R] own edges
  std::vector<std::uint64_t> counts_{}, totals_{};  // [ranks x R], [R] edges
  graph_schema types_{};
  std::uint64_t restored_ = 0, missing_ = 0, uncounted_ = 0;
  bool reordered_ = false;
  json::value node_data_{json::object{}}, edge_data_{json::object{}};
};

}  // namespace detail

HALOGRAPH_INLINE parmetis_chunks write_parmetis_chunks(
    const std::string& folder, const std::string& graph, const parmetis_schema& schema,
    const parmetis_parts_options& options, const std::string& to, const any_file_opener& open,
    executor_ref executor, communicator_ref ranks) {
  parmetis_chunks made;
  run_collective(ranks, [&] {
    made = detail::parmetis_rank_reader(folder, graph, schema, options, to, open, executor, ranks)
               .write();
  });
  return made;
}

}  // namespace halograph

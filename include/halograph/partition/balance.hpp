// SPDX-License-Identifier: BSL-1.0
/// @file balance.hpp
/// The loads to balance over the parts, and measures of how well they are.
/// Layer: partition (measuring allocates nothing; making constraints allocates the loads and classes that they view).
///
/// A *constraint* gives each node a load. Its *imbalance* is max / mean - 1 over the parts' loads,
/// 0 where nothing is loaded. It is *met* when no part holds more than part_limit(): (1 +
/// tolerance) x mean, or what whole nodes make unavoidable, the mean rounded up or the heaviest
/// node.
///
/// | name | load of a node |
/// | --- | --- |
/// | `nodes` | 1 |
/// | `ntype:paper` | 1 if it is a paper |
/// | `class:2` | 1 if its class is 2 |
/// | `ntype:paper:class:2` | 1 if it is a paper of class 2 |
/// | `in_degree` | the edges that end in it |
/// | `in_degree:class:2` | those, if its class is 2 (in the same way for the other names) |
#pragma once

#include <halograph/core/checked_cast.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/id_row.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/core/status.hpp>
#include <halograph/graph/concepts.hpp>
#include <halograph/partition/fixed_point.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// The tolerance where none is given: parts may hold 3 % more than the mean.
inline constexpr double default_tolerance = 0.03;

/// The load of each node in one constraint. A view: of given loads, or of a class, whose nodes load
/// 1 (or a given number) and all others 0. A class needs no loads of its own: constraints of many
/// classes share one column of class numbers, or need none where each class is one run of nodes.
class load_view {
 public:
  /// @cond
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::int64_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::int64_t*;
    using reference = std::int64_t;

    constexpr iterator() = default;
    constexpr iterator(const load_view& view, std::size_t v) : view_(&view), v_(v) {}
    constexpr std::int64_t operator*() const { return (*view_)[v_]; }
    constexpr iterator& operator++() {
      ++v_;
      return *this;
    }
    constexpr iterator operator++(int) {
      const iterator before = *this;
      ++v_;
      return before;
    }
    friend constexpr bool operator==(const iterator& a, const iterator& b) { return a.v_ == b.v_; }

   private:
    const load_view* view_ = nullptr;
    std::size_t v_ = 0;
  };
  /// @endcond

  constexpr load_view() = default;

  /// Given loads, [V]: anything that converts to a span.
  template <class Loads>
    requires(!std::same_as<std::remove_cvref_t<Loads>, load_view> &&
             std::convertible_to<Loads, std::span<const std::int64_t>>)
  constexpr load_view(Loads&& loads)
      : load_view(std::span<const std::int64_t>(std::forward<Loads>(loads)), 0) {}

  /// 1 for each of V nodes.
  static constexpr load_view ones(std::size_t nodes) noexcept {
    return of_class(nodes, 0, nodes, {}, 0, {});
  }

  /// A class within nodes [first, last).
  /// @param class_of  [V] class of each node, or empty: all nodes of [first, last)
  /// @param load      [V] what a node of the class loads, or empty: 1
  static constexpr load_view of_class(std::size_t nodes, std::size_t first, std::size_t last,
                                      std::span<const std::uint32_t> class_of, std::uint32_t number,
                                      std::span<const std::int64_t> load) noexcept {
    load_view out;
    out.load_ = load;
    out.class_of_ = class_of;
    out.nodes_ = nodes;
    out.first_ = first;
    out.last_ = last;
    out.number_ = number;
    return out;
  }

  constexpr std::size_t size() const noexcept { return nodes_; }  ///< V
  constexpr bool empty() const noexcept { return nodes_ == 0; }   ///< V == 0
  /// Nodes outside [first(), last()) load nothing.
  constexpr std::size_t first() const noexcept { return first_; }
  /// Nodes outside [first(), last()) load nothing.
  constexpr std::size_t last() const noexcept { return last_; }
  /// @pre v < size()
  constexpr std::int64_t operator[](std::size_t v) const noexcept {
    if (v < first_ || v >= last_ || (!class_of_.empty() && class_of_[v] != number_)) return 0;
    return load_.empty() ? 1 : load_[v];
  }
  /// @{
  /// Loads by node ID.
  constexpr iterator begin() const noexcept { return {*this, 0}; }
  constexpr iterator end() const noexcept { return {*this, nodes_}; }
  /// @}

 private:
  constexpr load_view(std::span<const std::int64_t> load, int) noexcept
      : load_(load), nodes_(load.size()), last_(load.size()) {}

  std::span<const std::int64_t> load_{};
  std::span<const std::uint32_t> class_of_{};
  std::size_t nodes_ = 0, first_ = 0, last_ = 0;
  std::uint32_t number_ = 0;
};

/// A named load to balance.
struct constraint {
  std::string name{};                    ///< in reports, and for set_tolerance
  load_view load{};                      ///< [V], none negative
  double tolerance = default_tolerance;  ///< largest load allowed / mean - 1
};

/// Optional: takes loads to balance in a member `constraints`.
template <class P>
concept takes_constraints = requires(P& policy, std::span<const constraint> constraints) {
  policy.constraints = constraints;
};

// ---- limits

/// total x weight / sum, rounded up. @pre sum > 0, weight <= sum
constexpr std::uint64_t share_rounded_up(std::uint64_t total, std::uint64_t weight,
                                         std::uint64_t sum) noexcept {
  const std::uint64_t low = multiply_divide(total, weight, sum);
  const bool exact = multiply_high(low, sum) == multiply_high(total, weight) &&
                     low * sum == total * weight;
  return exact ? low : low + 1;
}

/// The most that a part may hold: (1 + tolerance) x its share rounded down, or where that is more
/// its share rounded up or the heaviest node, because nodes are whole. Partitioners keep to it, and
/// spread::met() and measure_balance() judge by it.
/// @param weight, sum  the part's share of the total is weight / sum; of equal parts 1 / parts
/// @param tolerance    rounded up to a multiple of 2^-32, and limited to 2^20
/// @param heaviest     load of the heaviest node; 0: a node may not exceed the limit by itself
/// @pre sum > 0, weight <= sum
constexpr std::uint64_t part_limit(std::uint64_t total, std::uint64_t weight, std::uint64_t sum,
                                   double tolerance, std::uint64_t heaviest = 0) noexcept {
  const std::uint64_t extra = multiply_divide(total, fixed_32(tolerance), std::uint64_t{1} << 32),
                      most = detail::saturating_sum(total, extra);
  return std::max(
      {share_rounded_up(total, weight, sum), multiply_divide(most, weight, sum), heaviest});
}

// ---- measuring

/// How evenly a load is spread.
struct spread {
  std::int64_t total = 0;     ///< of all parts
  std::int64_t largest = 0;   ///< of any part
  std::uint64_t parts = 0;    ///< P
  std::int64_t heaviest = 0;  ///< of any node; 0: not known

  /// Total / parts; 0: no parts.
  constexpr double mean() const noexcept {
    return parts == 0 ? 0 : static_cast<double>(total) / static_cast<double>(parts);
  }
  /// max / mean - 1; 0 where there is no load.
  constexpr double imbalance() const noexcept {
    return total == 0 ? 0 : static_cast<double>(largest) / mean() - 1;
  }
  /// The least imbalance that whole nodes allow: of the mean rounded up, or of the heaviest node. A
  /// lower bound: where nodes differ, no assignment may reach it.
  constexpr double least_imbalance() const noexcept {
    if (total <= 0 || parts == 0) return 0;
    const auto least = std::max(share_rounded_up(static_cast<std::uint64_t>(total), 1, parts),
                                static_cast<std::uint64_t>(heaviest));
    return static_cast<double>(least) / mean() - 1;
  }
  /// Does no part hold more than part_limit()?
  constexpr bool met(double tolerance) const noexcept {
    return parts == 0 || static_cast<std::uint64_t>(largest) <=
                             part_limit(static_cast<std::uint64_t>(total), 1, parts, tolerance,
                                        static_cast<std::uint64_t>(heaviest));
  }
};

/// Sum each part's load.
/// @param owner  [V] part of each node
/// @param load   [V] load of each node, or empty: 1 each
/// @param loads  [K] out, load of each part; overwritten
/// @param out    out, total, largest, K and the heaviest node
/// @errors  mismatch at V: load is not [V]; out_of_range at v: node v's part is not below K;
///          overflow at v: a sum exceeds 64 bits
/// @complexity O(V + K)
template <unsigned_id Part>
constexpr status part_loads(std::span<const Part> owner, const load_view& load,
                            std::span<std::int64_t> loads, spread& out) noexcept {
  if (!load.empty() && load.size() != owner.size()) return status::mismatch.at(owner.size());
  const load_view each = load.empty() ? load_view::ones(owner.size()) : load;
  std::fill(loads.begin(), loads.end(), std::int64_t{0});
  out = {0, 0, loads.size()};
  for (std::size_t v = 0; v < owner.size(); ++v) {
    if (owner[v] >= loads.size()) return status::out_of_range.at(v);
    if (v < each.first() || v >= each.last()) continue;
    const std::int64_t w = each[v];
    if (w < 0) return status::invalid_argument.at(v);
    if (out.total > std::numeric_limits<std::int64_t>::max() - w) return status::overflow.at(v);
    out.total += w;
    out.heaviest = std::max(out.heaviest, w);
    loads[index(owner[v])] += w;
  }
  for (const auto w : loads) out.largest = std::max(out.largest, w);
  return status::ok;
}

/// One line of a quality report.
struct balance_line {
  std::string name{};                    ///< of the constraint
  double tolerance = default_tolerance;  ///< largest imbalance allowed
  double imbalance = 0;                  ///< largest load / mean - 1
  bool met = true;                       ///< no part holds more than part_limit()
  double least_imbalance = 0;            ///< spread::least_imbalance(); 0 for parts that differ

  friend bool operator==(const balance_line&, const balance_line&) = default;
};

/// Measure every constraint of an assignment.
/// @param owners  [V] part of each node: a vector, array, span ... of any integer type
/// @errors  raises mismatch, out_of_range, invalid_argument (a negative load), overflow
/// @complexity O(constraints x (V + K))
template <id_row Owner>
std::vector<balance_line> measure_balance(const Owner& owners, std::uint64_t parts,
                                          std::span<const constraint> constraints) {
  const auto owner = parts_of(owners);
  std::vector<balance_line> lines;
  std::vector<std::int64_t> loads(static_cast<std::size_t>(parts));
  for (const auto& c : constraints) {
    spread measured;
    if (const status answer = part_loads(owner, c.load, std::span<std::int64_t>(loads), measured);
        !answer) {
      raise(
          answer.code,
          "constraint " + c.name + " cannot be measured at node " +
              std::to_string(answer.position) +
              ": it needs one load >= 0 for each node, summing to at most 2^63 - 1, and owners below " +
              std::to_string(parts));
    }
    lines.push_back({c.name, c.tolerance, measured.imbalance(), measured.met(c.tolerance),
                     measured.least_imbalance()});
  }
  return lines;
}

/// The same for parts that are meant to differ.
/// @param part_weights  [K] what each part is to hold relative to the others, above 0, or
///     [K x constraints]
template <id_row Owner>
std::vector<balance_line> measure_balance(const Owner& owners, std::uint64_t parts,
                                          std::span<const constraint> constraints,
                                          std::span<const double> part_weights) {
  const auto owner = parts_of(owners);
  auto lines = measure_balance(owner, parts, constraints);
  if (part_weights.empty()) return lines;
  const auto k = static_cast<std::size_t>(parts);
  const std::size_t rows = constraints.size(), stride = part_weights.size() == k ? 1 : rows;
  if (part_weights.size() != k * stride)
    raise(error_kind::mismatch, "there are " + std::to_string(part_weights.size()) +
                                    " part weights for " + std::to_string(parts) + " parts");
  std::vector<std::int64_t> loads(k);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto weight = [&](std::size_t p) {
      return part_weights[stride == 1 ? p : p * stride + r];
    };
    spread measured;
    (void)part_loads(owner, constraints[r].load, std::span<std::int64_t>(loads), measured);
    double sum = 0, largest = 0;
    std::uint64_t whole = 0;  // the weights as partitioners take them
    for (std::size_t p = 0; p < k; ++p) {
      if (!(weight(p) > 0)) raise(error_kind::invalid_argument, "the part weights must be above 0");
      sum += weight(p);
      whole = detail::saturating_sum(whole, fixed_32(weight(p)));
    }
    lines[r].met = true;
    for (std::size_t p = 0; p < k; ++p) {
      largest = std::max(largest, static_cast<double>(loads[p]) * (sum / weight(p)));
      lines[r].met = lines[r].met && static_cast<std::uint64_t>(loads[p]) <=
                                         part_limit(static_cast<std::uint64_t>(measured.total),
                                                    fixed_32(weight(p)), whole, lines[r].tolerance,
                                                    static_cast<std::uint64_t>(measured.heaviest));
    }
    lines[r].imbalance = measured.total == 0 ? 0
                                             : largest / static_cast<double>(measured.total) - 1;
    lines[r].least_imbalance = 0;
  }
  return lines;
}

// ---- making: classes

namespace detail {
/// The class of all nodes together.
inline constexpr std::string_view all_nodes_class = "nodes";
inline std::string class_of_type(const std::string& type) { return "ntype:" + type; }
/// What the in-degree of a class is called.
inline std::string in_degree_of_class(const std::string& name) {
  return name == all_nodes_class ? "in_degree" : "in_degree:" + name;
}
/// The names of classes, then of their in-degrees, where edges are balanced.
std::vector<std::string> constraint_names(std::span<const std::string> classes, bool edges);
}  // namespace detail

namespace detail {
/// The nodes of a class: `count` of [first, last).
struct class_run {
  std::size_t first = 0, last = 0, count = 0;

  constexpr void add(std::size_t v) noexcept {
    if (count++ == 0) first = v;
    last = v + 1;
  }
};
}  // namespace detail

/// Every node in one named class.
struct node_classes {
  std::vector<std::uint32_t> of{};   ///< [V] class of each node
  std::vector<std::string> names{};  ///< [classes], each with at least one node

  bool empty() const noexcept { return names.empty(); }  ///< no classes
};

/// One class for each value that occurs, ascending: `class:VALUE`. For labels, masks (0 and 1), any
/// integers.
/// @complexity O(V log values)
template <id Value>
node_classes classes_by_value(std::span<const Value> values) {
  node_classes out;
  std::map<Value, std::uint32_t> number;
  for (const Value value : values) number.emplace(value, 0);
  for (auto& [value, place] : number) {
    place = static_cast<std::uint32_t>(out.names.size());
    out.names.push_back("class:" + std::to_string(value));
  }
  out.of.reserve(values.size());
  for (const Value value : values) out.of.push_back(number.find(value)->second);
  return out;
}

/// Values for the nodes of some types: type name -> [V_t] values.
template <id Value = std::int64_t>
using values_by_type = std::map<std::string, std::span<const Value>, std::less<>>;

/// One class for each node type, split by value where the type has values: `ntype:NAME` or
/// `ntype:NAME:class:VALUE`. Types without nodes make no class. With no values at all this is how
/// heterogeneous graphs are balanced by default.
/// @param offsets  [T+1] first homogenized ID of each node type (typed_graph::node_type_offsets)
/// @param names    [T] names of the node types
/// @param values   types to be split; each type without values forms one class
/// @errors  raises mismatch: offsets, names or a type's values disagree in size; not_found: values
///     for an unknown type
/// @complexity O(V log values)
template <id Value = std::int64_t>
node_classes classes_by_type(std::span<const std::uint64_t> offsets,
                             std::span<const std::string> names,
                             const values_by_type<Value>& values = {}) {
  if (offsets.size() != names.size() + 1) {
    raise(error_kind::mismatch, "there are " + std::to_string(names.size()) + " names for " +
                                    std::to_string(offsets.empty() ? 0 : offsets.size() - 1) +
                                    " node types");
  }
  for (const auto& [name, ignored] : values) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      raise(error_kind::not_found,
            "balance values are given for node type \"" + name + "\", which is not there");
    }
  }
  node_classes out;
  out.of.reserve(static_cast<std::size_t>(offsets.back()));
  for (std::size_t t = 0; t < names.size(); ++t) {
    const auto count = static_cast<std::size_t>(offsets[t + 1] - offsets[t]);
    const auto first = static_cast<std::uint32_t>(out.names.size());
    const auto found = values.find(names[t]);
    if (found == values.end()) {
      if (count == 0) continue;
      out.names.push_back(detail::class_of_type(names[t]));
      out.of.insert(out.of.end(), count, first);
      continue;
    }
    if (found->second.size() != count) {
      raise(error_kind::mismatch, "node type \"" + names[t] + "\" has " + std::to_string(count) +
                                      " nodes but " + std::to_string(found->second.size()) +
                                      " balance values");
    }
    const node_classes split = classes_by_value(found->second);
    for (const auto& name : split.names)
      out.names.push_back(detail::class_of_type(names[t]) + ":" + name);
    for (const auto c : split.of) out.of.push_back(first + c);
  }
  return out;
}

// ---- making: constraints

/// Constraints with the loads and classes they view. Movable, not copyable: the views point into
/// it.
class balance_set {
 public:
  balance_set() = default;
  /// @{
  /// Moving keeps the views of loads valid.
  balance_set(balance_set&&) noexcept = default;
  balance_set& operator=(balance_set&&) noexcept = default;
  /// @}
  balance_set(const balance_set&) = delete;
  balance_set& operator=(const balance_set&) = delete;

  /// Append a constraint. @param load [V] @errors raises exists: the name is taken
  void add(std::string name, std::vector<std::int64_t> load, double tolerance = default_tolerance) {
    loads_.push_back(std::move(load));
    add(std::move(name), load_view(loads_.back()), tolerance);
  }
  /// The same with loads that the caller keeps. @param load [V] @errors raises exists: the name is
  /// taken
  void add(std::string name, const load_view& load, double tolerance = default_tolerance);
  /// Append a constraint for each class, then, where in-degrees are given, one for each class's
  /// in-degrees. Takes 4 bytes for each node, none where each class is one run of nodes, and what
  /// the in-degrees take.
  /// @param classes    [V] classes; nodes of no named class load nothing
  /// @param in_degree  [V], or nothing
  /// @errors raises exists: a name is taken @complexity O(V + classes)
  void add_classes(node_classes classes, std::optional<std::vector<std::int64_t>> in_degree,
                   double tolerance = default_tolerance);
  /// The same where each class is one run of nodes.
  void add_classes(std::size_t nodes, std::span<const std::string> names,
                   std::span<const detail::class_run> runs,
                   std::optional<std::vector<std::int64_t>> in_degree,
                   double tolerance = default_tolerance) {
    add_runs(nodes, names, runs, {}, std::move(in_degree), tolerance);
  }

  /// Set the tolerance of one constraint, or of all. @errors raises not_found and lists the names;
  /// invalid_argument: not a number above 0
  void set_tolerance(std::string_view name, double tolerance);
  /// Of all. @errors raises invalid_argument: not a number above 0
  void set_tolerance(double tolerance) {
    check_tolerance(tolerance);
    for (auto& c : constraints_) c.tolerance = tolerance;
  }

  /// In the order they were added.
  std::span<const constraint> constraints() const noexcept { return constraints_; }
  bool empty() const noexcept { return constraints_.empty(); }  ///< no constraints

 private:
  std::vector<constraint>::iterator find(std::string_view name) {
    return std::find_if(constraints_.begin(), constraints_.end(),
                        [&](const constraint& c) { return c.name == name; });
  }
  static void check_tolerance(double tolerance) {
    if (!(tolerance > 0) || tolerance > 1e6) {
      raise(error_kind::invalid_argument, "a tolerance must be a number above 0, such as 0.03");
    }
  }

  void add_runs(std::size_t nodes, std::span<const std::string> names,
                std::span<const detail::class_run> runs, std::span<const std::uint32_t> class_of,
                std::optional<std::vector<std::int64_t>> in_degree, double tolerance);

  std::vector<std::vector<std::int64_t>> loads_{};  // moving it leaves every load where it is
  std::vector<std::vector<std::uint32_t>> class_columns_{};
  std::vector<constraint> constraints_{};
};

/// What DGL balances, in DGL's order: each class of nodes (`balance_ntypes`), then with `edges` the
/// in-degree of each class (`balance_edges`), or of all nodes where there are no classes. Where
/// neither is asked for, the number of nodes.
/// @param classes  empty, or [V] classes
/// @errors  raises mismatch: classes are for another number of nodes
/// @complexity O(V + classes), with `edges` O(V + E) time; memory: that of
///     balance_set::add_classes, and 8 bytes for each node with `edges`
/// @source DGL, distributed/partition.py (how it calls METIS); formats: partition folder, section
///     8.2
template <graph G>
balance_set balance_like_dgl(const G& g, node_classes classes, bool edges,
                             double tolerance = default_tolerance) {
  const std::size_t nodes = num_nodes(g);
  if (!classes.empty() && classes.of.size() != nodes) {
    raise(error_kind::mismatch, "there are classes for " + std::to_string(classes.of.size()) +
                                    " nodes; the graph has " + std::to_string(nodes));
  }
  std::optional<std::vector<std::int64_t>> in_degree;
  if (edges) {
    in_degree.emplace(nodes, 0);
    visit_edges(g, [&](auto, auto v, auto e) {
      if (index(v) >= nodes) {
        raise(error_kind::out_of_range,
              "edge " + std::to_string(e) + " has an endpoint that is not a node of the graph");
      }
      ++(*in_degree)[index(v)];
    });
  }
  balance_set out;
  const std::string all(detail::all_nodes_class);
  if (!classes.empty())
    out.add_classes(std::move(classes), std::move(in_degree), tolerance);
  else if (edges)
    out.add(detail::in_degree_of_class(all), std::move(*in_degree), tolerance);
  else
    out.add(all, load_view::ones(nodes), tolerance);
  return out;
}

#if HALOGRAPH_COMPILED
// Instantiated in the compiled library (impl/balance.ipp).
extern template std::vector<balance_line> measure_balance(const std::span<const part_id>&,
                                                          std::uint64_t,
                                                          std::span<const constraint>);
extern template node_classes classes_by_value(std::span<const std::int64_t>);
extern template node_classes classes_by_type(std::span<const std::uint64_t>,
                                             std::span<const std::string>,
                                             const values_by_type<std::int64_t>&);
#endif

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/partition/impl/balance.ipp>
#endif

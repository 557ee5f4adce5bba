// SPDX-License-Identifier: BSL-1.0
/// @file policy.hpp
/// How data with a row per node or edge of one type are distributed over parts, and their names.
/// Layer: book (allocates its strings and the answers that are containers). Words: README.md.
///
/// Texts are DGL's: a policy is `node~<type>` or `edge~<source:relation:target>`, data are
/// `<policy>~<name>`.
#pragma once

#include <halograph/book/concepts.hpp>
#include <halograph/book/fwd.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/ids.hpp>
#include <halograph/core/linkage.hpp>
#include <halograph/schema/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

/// The name of a policy: nodes or edges, and of which type.
class policy_name {
 public:
  /// Nodes of a type; `_N`: all nodes. @errors invalid_argument: not a safe name, or it contains
  /// '~'
  static policy_name node(std::string_view ntype = "_N");
  /// Edges of a type; `_N:_E:_N`: all edges. @errors invalid_argument: a field is empty or contains
  /// '~' or ':'
  static policy_name edge(const canonical_etype& etype = {"_N", "_E", "_N"});
  /// "node", "node~<type>" or "edge~<source:relation:target>". @errors malformed
  static policy_name parse(std::string_view text);

  bool is_node() const noexcept { return is_node_; }  ///< false: of edges
  /// The node type, or the triple as "source:relation:target".
  const std::string& type_name() const noexcept { return type_; }
  /// The triple. @pre !is_node()
  const canonical_etype& etype() const noexcept { return etype_; }
  /// What parse() reads.
  std::string policy_str() const { return (is_node_ ? "node~" : "edge~") + type_; }

  friend bool operator==(const policy_name&, const policy_name&) = default;

 private:
  policy_name() = default;
  static bool plain(std::string_view name) noexcept {
    return is_safe_name(name) && name.find('~') == std::string_view::npos;
  }

  bool is_node_ = true;
  std::string type_{};
  canonical_etype etype_{};
};

/// The name of data, `<policy>~<name>`: `node~user~feat`, `edge~user:likes:item~weight`.
class data_name {
 public:
  /// @errors invalid_argument: not a safe name, or it contains '~'
  data_name(policy_name policy, std::string name);
  /// @errors malformed: not three fields joined by '~', or not a policy before the last
  static data_name parse(std::string_view text);

  const policy_name& policy() const noexcept { return policy_; }  ///< what the data belong to
  /// @{
  /// Do the data belong to nodes, or to edges?
  bool is_node() const noexcept { return policy_.is_node(); }
  bool is_edge() const noexcept { return !policy_.is_node(); }
  /// @}
  /// The node type, or the triple as text.
  const std::string& get_type() const noexcept { return policy_.type_name(); }
  const std::string& get_name() const noexcept { return name_; }  ///< the last field
  /// What parse() reads.
  std::string str() const { return policy_.policy_str() + "~" + name_; }

  friend bool operator==(const data_name&, const data_name&) = default;

 private:
  policy_name policy_;
  std::string name_;
};

/// Rows of one type, distributed by a book. Refers to the book, which must outlive it.
/// @tparam Book a named book: partition_book, map_partition_book
template <partition_book_like Book>
class partition_policy {
 public:
  /// @errors not_found: the book has no such type
  partition_policy(policy_name name, const Book& book) : name_(std::move(name)), book_(&book) {
    static_cast<void>(get_size());  // looks the type up
  }
  /// The same from text. @errors also malformed, see policy_name::parse
  partition_policy(std::string_view text, const Book& book)
      : partition_policy(policy_name::parse(text), book) {}
  partition_policy(policy_name, const Book&&) = delete;
  partition_policy(std::string_view, const Book&&) = delete;

  /// @{
  /// As @ref policy_name says them.
  const policy_name& name() const noexcept { return name_; }
  std::string policy_str() const { return name_.policy_str(); }
  const std::string& type_name() const noexcept { return name_.type_name(); }
  /// @}
  const Book& partition_book() const noexcept { return *book_; }  ///< the caller's
  auto partid() const noexcept { return book_->partid(); }        ///< the book's own part
  bool is_node() const noexcept { return name_.is_node(); }       ///< false: of edges
  /// The full name of data of this policy. @errors those of data_name
  data_name get_data_name(std::string name) const { return {name_, std::move(name)}; }

  /// IDs of the type -> rows of the book's own part. @errors out_of_range: an ID of another part
  template <class Ids>
  auto to_local(const Ids& ids) const {
    using node = decltype(book_->nid2localnid(ids, partid()));
    static_assert(std::is_same_v<node, decltype(book_->eid2localeid(ids, partid()))>,
                  "a policy needs a book whose node and edge IDs are of one type");
    return is_node() ? book_->nid2localnid(ids, partid(), type_name())
                     : book_->eid2localeid(ids, partid(), type_name());
  }
  /// IDs of the type -> parts. @errors out_of_range
  template <class Ids>
  auto to_partid(const Ids& ids) const {
    return is_node() ? book_->nid2partid(ids, type_name()) : book_->eid2partid(ids, type_name());
  }
  /// Rows of the book's own part.
  std::uint64_t get_part_size() const {
    if (is_node())
      return count(book_->nodes(), everything()
                                       ? std::nullopt
                                       : std::optional(book_->node_type_number(type_name())));
    return count(book_->edges(),
                 everything() ? std::nullopt : std::optional(book_->edge_type_number(type_name())));
  }
  /// Rows of all parts.
  std::uint64_t get_size() const {
    return is_node() ? book_->num_nodes(type_name()) : book_->num_edges(type_name());
  }

 private:
  // DGL's default names mean all types together.
  bool everything() const noexcept { return type_name() == (is_node() ? "_N" : "_N:_E:_N"); }
  template <class Map>
  std::uint64_t count(const Map& map, std::optional<type_id> type) const {
    return type ? map.count(partid(), *type) : map.count(partid());
  }

  policy_name name_;
  const Book* book_;
};

/// The policy of data with as many rows as one type has nodes or edges.
/// @param rows length of the data   @param book its types are the candidates; must outlive the
///     result
/// @errors not_found: no type has as many; invalid_argument: several have; the message lists them
template <partition_book_like Book>
partition_policy<Book> infer_policy(std::uint64_t rows, const Book& book) {
  std::optional<policy_name> found;
  std::string candidates;
  std::size_t fitting = 0;
  const auto offer = [&](policy_name name, std::uint64_t size) {
    if (size != rows) return;
    candidates += (fitting ? ", " : "") + graph_schema::quoted(name.policy_str());
    if (++fitting == 1) found = std::move(name);
  };
  for (const std::string& type : book.ntypes())
    offer(policy_name::node(type), book.num_nodes(type));
  for (const canonical_etype& type : book.canonical_etypes())
    offer(policy_name::edge(type), book.num_edges(type));
  if (fitting == 0) {
    raise(error_kind::not_found,
          "no node type and no edge type has " + std::to_string(rows) + " members; name a policy");
  }
  if (fitting > 1) {
    raise(error_kind::invalid_argument,
          std::to_string(rows) + " rows fit several policies; name one of " + candidates);
  }
  return {*std::move(found), book};
}

}  // namespace halograph

#if !HALOGRAPH_COMPILED
#include <halograph/book/impl/policy.ipp>
#endif

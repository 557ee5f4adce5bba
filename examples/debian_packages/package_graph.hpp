// SPDX-License-Identifier: BSL-1.0
// A heterogeneous graph of Debian's package lists: packages, the sources they are built from, their
// maintainers and sections, and how packages depend on or conflict with each other.
//
// Input is the text of `apt-cache dumpavail` or of a Packages file: stanzas of "Field: value"
// lines, separated by empty lines; a line that begins with a blank continues the value before
// it. https://www.debian.org/doc/debian-policy/ch-controlfields.html, ch-relationships.html
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/core/random.hpp>
#include <halograph/io/dataset.hpp>
#include <halograph/serial/tensor.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace debian_packages {

namespace hg = halograph;

/// One package, as views into the text of its stanza.
struct stanza {
  std::string_view package{}, source{}, maintainer{}, section{}, priority{}, description{};
  // By relation, in the order of `relations`; folded lines are left as they are.
  std::array<std::vector<std::string_view>, 4> needs{};
  std::string_view provides{};
  std::int64_t installed_size = 0;  ///< KiB
  std::int64_t size = 0;            ///< bytes of the .deb
  std::uint64_t line = 0;           ///< its first line, from 1
};

/// Package to package.
inline constexpr std::array<std::string_view, 4> relations{"depends", "recommends", "suggests",
                                                           "conflicts"};

inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// The stanzas of a text, in order.
/// @errors malformed with the line: not "Field: value", no Package field, a size that is no number
inline std::vector<stanza> parse_stanzas(std::string_view text, const std::string& file) {
  std::vector<stanza> found;
  stanza current;
  bool open = false;
  std::uint64_t line_number = 0;
  const auto fail = [&](std::uint64_t line, const std::string& sentence) {
    hg::raise(hg::error_kind::malformed, sentence, {.file = file, .line = line});
  };
  const auto close = [&] {
    if (!open) return;
    if (current.package.empty()) fail(current.line, "the stanza has no field Package");
    found.push_back(std::move(current));
    current = {};
    open = false;
  };
  const auto integer = [&](std::string_view value, std::int64_t& out) {
    const auto end = value.data() + value.size();
    const auto [stop, problem] = std::from_chars(value.data(), end, out);
    if (problem != std::errc{} || stop != end || out < 0) {
      fail(line_number,
           hg::graph_schema::quoted(value) + " is not a size; it must be a whole number");
    }
  };
  for (std::size_t begin = 0; begin < text.size();) {
    ++line_number;
    const auto end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    const std::size_t field_begin = begin;
    begin = end + 1;
    if (trimmed(line).empty()) {
      close();
      continue;
    }
    if (line.front() == ' ' || line.front() == '\t') {
      if (!open) fail(line_number, "the line continues a field, but there is none before it");
      continue;  // read with its field, below
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0)
      fail(line_number, "expected \"Field: value\"");
    // A value ends before the first line that does not continue it.
    std::size_t value_end = end;
    while (value_end + 1 < text.size() &&
           (text[value_end + 1] == ' ' || text[value_end + 1] == '\t')) {
      const auto next = std::min(text.find('\n', value_end + 1), text.size());
      if (trimmed(text.substr(value_end + 1, next - value_end - 1)).empty()) break;
      value_end = next;
    }
    const auto value = trimmed(
        text.substr(field_begin + colon + 1, value_end - field_begin - colon - 1));
    const auto field = line.substr(0, colon);
    if (!open) current.line = line_number;
    open = true;
    if (field == "Package")
      current.package = value;
    else if (field == "Source")
      current.source = trimmed(value.substr(0, value.find('(')));
    else if (field == "Maintainer")
      current.maintainer = value;
    else if (field == "Section")
      current.section = value;
    else if (field == "Priority")
      current.priority = value;
    else if (field == "Description")
      current.description = value;
    else if (field == "Provides")
      current.provides = value;
    else if (field == "Depends" || field == "Pre-Depends")
      current.needs[0].push_back(value);
    else if (field == "Recommends")
      current.needs[1].push_back(value);
    else if (field == "Suggests")
      current.needs[2].push_back(value);
    else if (field == "Conflicts" || field == "Breaks")
      current.needs[3].push_back(value);
    else if (field == "Installed-Size")
      integer(value, current.installed_size);
    else if (field == "Size")
      integer(value, current.size);
  }
  close();
  return found;
}

/// A package that a relation names, and whether it requires certain versions.
struct needed {
  std::string_view package{};
  bool versioned = false;
};

/// "a (>= 1) | b:any, c [amd64]" -> a (versioned), b, c: every alternative counts.
inline std::vector<needed> parse_relation(std::string_view field) {
  std::vector<needed> all;
  while (!field.empty()) {
    const auto end = std::min(field.find_first_of(",|"), field.size());
    const auto item = trimmed(field.substr(0, end));
    field.remove_prefix(std::min(end + 1, field.size()));
    const auto name = item.substr(0, item.find_first_of(" \t\n:([<"));
    if (!name.empty()) all.push_back({name, item.find('(') != std::string_view::npos});
  }
  return all;
}

struct package_graph {
  hg::dataset<> data{};
  /// Names of the nodes, [type][typed ID], sorted within each type.
  std::array<std::vector<std::string>, 4> names{};
  std::uint64_t repeated = 0;    ///< stanzas of a package that was listed before
  std::uint64_t unresolved = 0;  ///< relations to packages that do not exist
};

namespace detail {

class numbering {
 public:
  void add(std::string_view name) { all_.emplace(name, 0); }
  void finish() {
    std::uint64_t next = 0;
    for (auto& [name, number] : all_) number = next++;
  }
  std::uint64_t operator[](std::string_view name) const { return all_.find(name)->second; }
  bool has(std::string_view name) const { return all_.find(name) != all_.end(); }
  std::uint64_t size() const { return all_.size(); }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& [name, number] : all_) out.emplace_back(name);
    return out;
  }

 private:
  std::map<std::string_view, std::uint64_t> all_;
};

inline std::string_view or_unknown(std::string_view name) {
  return name.empty() ? "unknown" : name;
}
inline std::string_view source_of(const stanza& one) {
  return one.source.empty() ? one.package : one.source;
}

inline std::int8_t priority_class(std::string_view priority) {
  constexpr std::array<std::string_view, 5> names{"required", "important", "standard", "optional",
                                                  "extra"};
  const auto found = std::find(names.begin(), names.end(), priority);
  return found == names.end() ? std::int8_t{-1} : static_cast<std::int8_t>(found - names.begin());
}

/// FNV-1a (Fowler, Noll & Vo): a hash of a word that is the same everywhere.
constexpr std::uint64_t word_hash(std::string_view word) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return hash;
}

}  // namespace detail

/// Columns of the feature `text`: how many words of the description hash to each of them.
inline constexpr std::size_t text_columns = 16;

/// Build the graph. Nodes are numbered by name, so the order of the stanzas matters only for
/// packages that are listed twice: the first one counts. A relation to a virtual package is one to
/// each package that provides it; one to a package that does not exist is left out and counted. The
/// masks split packages 80:10:10 by their names, so that a package keeps its role in later lists.
/// @param seed  the seed of the masks
inline package_graph build(const std::vector<stanza>& stanzas, std::uint64_t seed) {
  package_graph result;
  detail::numbering packages, sources, maintainers, sections;
  std::map<std::string_view, const stanza*> first;
  for (const auto& one : stanzas) {
    if (!first.emplace(one.package, &one).second) {
      ++result.repeated;
      continue;
    }
    packages.add(one.package);
    sources.add(detail::source_of(one));
    maintainers.add(detail::or_unknown(one.maintainer));
    sections.add(detail::or_unknown(one.section));
  }
  for (auto* each : {&packages, &sources, &maintainers, &sections}) each->finish();
  result.names = {packages.names(), sources.names(), maintainers.names(), sections.names()};

  std::map<std::string_view, std::set<std::uint64_t>> providers;
  for (const auto& [name, one] : first) {
    for (const auto& virtual_package : parse_relation(one->provides))
      providers[virtual_package.package].insert(packages[name]);
  }

  auto& data = result.data;
  data.name = "debian";
  for (const char* type : {"package", "source", "maintainer", "section"})
    data.schema.add_node_type(type);
  for (const auto relation : relations)
    data.schema.add_edge_type({"package", std::string(relation), "package"});
  data.schema.add_edge_type({"package", "maintained_by", "maintainer"});
  data.schema.add_edge_type({"package", "in_section", "section"});
  data.schema.add_edge_type({"package", "built_from", "source"});
  data.node_counts = {packages.size(), sources.size(), maintainers.size(), sections.size()};
  data.edges.resize(data.schema.num_edge_types());

  const std::size_t count = first.size();
  std::vector<std::int64_t> installed(count), size(count);
  std::vector<std::int8_t> priority(count);
  std::vector<std::uint8_t> train(count), validation(count), test(count);
  std::vector<float> text(count * text_columns);
  std::array<std::vector<std::uint8_t>, relations.size()> versioned;

  for (const auto& [name, one] : first) {
    const std::uint64_t id = packages[name];
    for (std::size_t r = 0; r < relations.size(); ++r) {
      std::map<std::uint64_t, std::uint8_t> targets;  // each neighbor once
      for (const auto field : one->needs[r]) {
        for (const auto& [wanted, certain] : parse_relation(field)) {
          std::set<std::uint64_t> candidates;
          if (packages.has(wanted))
            candidates.insert(packages[wanted]);
          else if (const auto virtual_package = providers.find(wanted);
                   virtual_package != providers.end())
            candidates = virtual_package->second;
          if (candidates.empty()) ++result.unresolved;
          for (const auto target : candidates) {
            if (target != id) targets[target] |= static_cast<std::uint8_t>(certain);
          }
        }
      }
      for (const auto& [target, certain] : targets) {
        data.edges[r].source.push_back(id);
        data.edges[r].target.push_back(target);
        versioned[r].push_back(certain);
      }
    }
    const auto link = [&](std::size_t r, std::uint64_t target) {
      data.edges[r].source.push_back(id);
      data.edges[r].target.push_back(target);
    };
    link(4, maintainers[detail::or_unknown(one->maintainer)]);
    link(5, sections[detail::or_unknown(one->section)]);
    link(6, sources[detail::source_of(*one)]);

    installed[id] = one->installed_size;
    size[id] = one->size;
    priority[id] = detail::priority_class(one->priority);
    for (std::string_view words = one->description; !words.empty();) {
      const auto end = std::min(words.find_first_of(" \t\n"), words.size());
      if (end > 0)
        text[id * text_columns + detail::word_hash(words.substr(0, end)) % text_columns] += 1.0f;
      words.remove_prefix(std::min(end + 1, words.size()));
    }
    const auto role = hg::random_stream::at(seed, detail::word_hash(name)).below(10);
    (role < 8 ? train : role == 8 ? validation : test)[id] = 1;
  }

  const auto add = [&](const char* feature, hg::tensor rows) {
    data.features.nodes.push_back({0, feature, std::move(rows)});
  };
  const auto mask = [&](std::vector<std::uint8_t> column) {
    return hg::tensor::from(std::move(column), {count}, hg::dtype::boolean);
  };
  add("installed_size", hg::tensor::from(std::move(installed)));
  add("size", hg::tensor::from(std::move(size)));
  add("priority", hg::tensor::from(std::move(priority)));
  add("text", hg::tensor::from(std::move(text), {count, text_columns}));
  add("train_mask", mask(std::move(train)));
  add("val_mask", mask(std::move(validation)));
  add("test_mask", mask(std::move(test)));
  for (std::size_t r = 0; r < relations.size(); ++r) {
    data.features.edges.push_back(
        {static_cast<hg::type_id>(r), "versioned", hg::tensor::from(std::move(versioned[r]))});
  }
  data.finish();
  return result;
}

}  // namespace debian_packages

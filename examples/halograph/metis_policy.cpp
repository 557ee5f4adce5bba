// SPDX-License-Identifier: BSL-1.0
#include "metis_policy.hpp"
#include "usage_error.hpp"

#if defined(HALOGRAPH_WITH_METIS)
#include <halograph/adapters/metis.hpp>
#endif

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace halograph::cli {

namespace {

/// What --metis sets, with METIS's defaults.
struct metis_settings {
  std::uint32_t niter = 10, ncuts = 1;
  bool contig = false, minconn = false, no2hop = false;
  bool rb = false, random_matching = false, random_start = false;
};

metis_settings read_settings(std::span<const std::string> options) {
  metis_settings out;
  struct setting {
    const char* name;
    std::uint32_t* number;
    bool* on;  // 0 and 1, or two words, the default first
    const char *off_word = nullptr, *on_word = nullptr;
  };
  const setting known[] = {{"niter", &out.niter, nullptr},
                           {"ncuts", &out.ncuts, nullptr},
                           {"contig", nullptr, &out.contig},
                           {"minconn", nullptr, &out.minconn},
                           {"no2hop", nullptr, &out.no2hop},
                           {"ptype", nullptr, &out.rb, "kway", "rb"},
                           {"ctype", nullptr, &out.random_matching, "shem", "rm"},
                           {"iptype", nullptr, &out.random_start, "grow", "random"}};
  // METIS's names of what has a flag here.
  const std::pair<const char*, const char*> elsewhere[] = {
      {"objtype", "--objective"}, {"ufactor", "--tolerance"}, {"ubvec", "--tolerance"},
      {"seed", "--seed"},         {"nparts", "--parts"},      {"tpwgts", "--part-weights"}};
  // METIS's names of what cannot be set, and why.
  const std::pair<const char*, const char*> fixed[] = {
      {"rtype", "METIS allows only its default here, greedy with ptype=kway and fm with ptype=rb"},
      {"dbglvl", "METIS would print to standard output; leave it out"},
      {"numbering", "node numbers start at 0 here; leave it out"},
      {"compress", "METIS knows it when it orders nodes, not when it makes parts; leave it out"},
      {"ccorder", "METIS knows it when it orders nodes, not when it makes parts; leave it out"},
      {"pfactor", "METIS knows it when it orders nodes, not when it makes parts; leave it out"},
      {"nseps", "METIS knows it when it orders nodes, not when it makes parts; leave it out"},
      {"gtype", "METIS knows it when it reads meshes, not graphs; leave it out"},
      {"ncommon", "METIS knows it when it reads meshes, not graphs; leave it out"}};
  std::vector<std::string> names;
  for (const auto& one : known) names.emplace_back(one.name);
  std::vector<std::string> seen;
  for (const auto& option : options) {
    const auto equals = option.find('=');
    const std::string name = option.substr(0, equals),
                      value = equals == std::string::npos ? "" : option.substr(equals + 1),
                      start = "--metis " + option + ": ";
    for (const auto& [word, flag] : elsewhere) {
      if (name == word) throw usage_error(start + "use the flag " + flag);
    }
    for (const auto& [word, why] : fixed) {
      if (name == word) throw usage_error(start + why);
    }
    const auto* const at = std::find_if(std::begin(known), std::end(known),
                                        [&](const setting& one) { return one.name == name; });
    if (at == std::end(known)) {
      std::string all;
      for (const auto& one : names) all += (all.empty() ? "" : ", ") + one;
      throw usage_error(start + "METIS has no such option" + did_you_mean(name, names) +
                        "; it must be one of " + all);
    }
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      throw usage_error(start + "the option is given twice");
    seen.push_back(name);
    const auto number = whole_number(value);
    if (at->number != nullptr) {
      constexpr std::uint64_t most = 1000000;
      if (!number || *number == 0 || *number > most)
        throw usage_error(start + "the value must be a whole number from 1 to 1000000");
      *at->number = static_cast<std::uint32_t>(*number);
    } else if (at->on_word == nullptr) {
      if (!number || *number > 1) throw usage_error(start + "the value must be 0 or 1");
      *at->on = *number == 1;
    } else {
      if (value != at->off_word && value != at->on_word)
        throw usage_error(concat({start, "the value must be ", at->off_word, " or ", at->on_word}));
      *at->on = value == at->on_word;
    }
  }
  if (out.random_start && !out.rb)
    throw usage_error(
        "--metis iptype=random: METIS starts at random only with --metis ptype=rb, too");
  return out;
}

}  // namespace

bound_flag bind_metis_options(flag_set& app, std::vector<std::string>& options) {
  return app
      .add_option(
          "--metis", options,
          "an option of METIS: niter, ncuts (numbers), contig, minconn, no2hop (0 or 1), "
          "ptype (kway or rb), ctype (shem or rm), iptype (grow or random); may be repeated")
      .type_name("NAME=VALUE");
}

void check_metis_options(std::span<const std::string> options, std::string_view method) {
  if (options.empty()) return;
  if (method != "metis") throw usage_error("--metis goes with --method metis");
  static_cast<void>(read_settings(options));
}

#if defined(HALOGRAPH_WITH_METIS)

namespace {

struct program_metis : metis {
  void choose(const policy_inputs& in) {
    objective = in.volume ? halograph::objective::volume : halograph::objective::cut;
    if (in.volume) node_sizes = in.node_sizes;
    const metis_settings asked = read_settings(in.metis_options);
    iterations = asked.niter;
    cuts = asked.ncuts;
    contiguous = asked.contig;
    minimize_connectivity = asked.minconn;
    two_hop = !asked.no2hop;
    method = asked.rb ? metis_method::recursive : metis_method::k_way;
    random_matching = asked.random_matching;
    random_start = asked.random_start;
    const double all = std::accumulate(in.part_weights.begin(), in.part_weights.end(), 0.0);
    shares_.clear();
    for (const double one : in.part_weights) shares_.push_back(one / all);
    target_weights = shares_;
  }

 private:
  std::vector<double> shares_{};  // of the part weights, as METIS wants them: with sum 1
};

}  // namespace

std::string missing_metis() { return {}; }
policy_entry metis_entry() { return entry_of<program_metis>(); }

std::uint64_t bytes_of_metis(std::uint64_t nodes, std::uint64_t entries, std::uint64_t constraints,
                             std::uint64_t parts) {
  return metis_bytes(nodes, entries, constraints, parts);
}

#else

namespace {

/// The word of --method, which is refused before anything is done.
struct absent_metis {
  using part = part_id;
  static constexpr std::string_view name = "metis";
  std::uint64_t parts = 1;
  std::uint64_t seed = 0;
  double tolerance = default_tolerance;
  std::span<const constraint> constraints{};
  std::span<const std::int64_t> edge_weights{};
  bool balance_types = true;

  template <graph G>
  status assign(const G&, std::span<part>) const {
    return status::unsupported;
  }
};

}  // namespace

std::string missing_metis() {
  return "method metis needs METIS, which was not found when the program was built (Debian: libmetis-dev)";
}
policy_entry metis_entry() { return entry_of<absent_metis>(); }

std::uint64_t bytes_of_metis(std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t) {
  return 0;
}

#endif

}  // namespace halograph::cli

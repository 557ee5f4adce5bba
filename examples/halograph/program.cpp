// SPDX-License-Identifier: BSL-1.0
#include "assign.hpp"
#include "cli.hpp"
#include "command.hpp"
#include "partition.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace halograph::cli {

namespace {

/// The command line, where `convert` with the flags of ParMETIS's parts, as it was once, becomes
/// `parmetis convert`.
std::vector<char*> with_parmetis_convert(int argc, char** argv) {
  std::vector<char*> words(argv, argv + argc);
  const auto convert = std::find_if(words.begin(), words.end(), [](const char* word) {
    return std::string_view(word) == "convert";
  });
  if (convert == words.end() || convert == words.begin() ||
      std::any_of(words.begin() + 1, convert, [](const char* word) { return word[0] != '-'; }))
    return words;
  const bool of_parts = std::any_of(convert, words.end(), [](const char* word) {
    std::string flag(word);
    flag.resize(std::min(flag.find('='), flag.size()));
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag == "--input-dir" || flag == "--in-dir" || flag == "--schema" ||
           flag == "--num-node-weights";
  });
  static char parmetis[] = "parmetis";
  if (of_parts) words.insert(convert, parmetis);
  return words;
}

}  // namespace

int run(int argc, char** argv, const offered_policies& policies) {
  std::vector<char*> words = with_parmetis_convert(argc, argv);
  words.push_back(nullptr);
  return run_program(
      static_cast<int>(words.size()) - 1, words.data(),
      {{"partition", "partition a graph into a folder that engines load",
        [&](flag_set& app) { return add_partition(app, policies); }},
       {"estimate", "estimate the memory and disk space of a partition run",
        [&](flag_set& app) { return add_estimate(app, policies); }},
       {"chunk", "make a chunked graph of any graph, or of tables", &add_chunk},
       {"assign", "assign the nodes of a chunked graph to parts, for dispatch",
        [&](flag_set& app) { return add_assign(app, policies); }, true},
       {"dispatch", "write the parts of a chunked graph and its assignment, within a memory budget",
        &add_dispatch, true},
       {"verify", "prove that a partition folder is right", &add_verify},
       {"inspect", "show what is in a file", &add_inspect},
       {"report", "recompute the quality report of a partition folder", &add_report},
       {"simulate", "count what sampled training would fetch from other parts", &add_simulate,
        true},
       {"restore", "put rows of all parts back into original order", &add_restore},
       {"attach-features", "add features to a partition folder", &add_attach_features},
       {"generate", "generate a seeded graph of any size", &add_generate},
       {"parmetis", "exchange graphs and parts with ParMETIS: export, partition, import, convert",
        &add_parmetis, true},
       {"convert", "write a graph in a format of other programs", &add_convert}});
}

}  // namespace halograph::cli

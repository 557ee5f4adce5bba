// SPDX-License-Identifier: BSL-1.0
#include <halograph/folder/copy_script.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace hg = halograph;
namespace fs = std::filesystem;
using hg::testing::temporary_folder;

namespace {

TEST(copy_script, brings_each_machine_its_parts_whatever_names_hold) {
  temporary_folder folder;
  for (int p = 0; p < 4; ++p)
    folder.write("out/part" + std::to_string(p) + "/graph.dgl", "graph " + std::to_string(p));
  folder.write("out/it's $HOME.json", "config");
  const std::vector<hg::machine> machines{{"10.0.0.1", {}}, {"host'; touch pwned; '", {}}};
  const std::vector<std::string> shared{"it's $HOME.json"};
  folder.write("out/copy.sh", hg::copy_script(machines, 4, shared));
  // In place of ssh: each "machine" is a folder of ours, named by a number.
  folder.write(
      "fake_ssh",
      "#!/bin/sh\ncd \"" + folder() +
          "\" || exit 1\nif [ \"$1\" = 10.0.0.1 ]; then d=one; else d=two; printf %s \"$1\" >name; fi\nmkdir -p $d && cd $d && sh -c \"$2\"\n");
  const std::string to = "it's there";
  const int code = std::system(
      ("cd '" + folder() + "' && SSH='sh " + folder("fake_ssh") + "' sh out/copy.sh \"" + to + "\"")
          .c_str());
  ASSERT_EQ(code, 0);
  EXPECT_EQ(hg::testing::content_of(folder("name")), machines[1].address);
  EXPECT_FALSE(fs::exists(folder("pwned")) || fs::exists(folder("two/pwned")));
  for (const auto& [name, parts] :
       {std::pair{"one", std::vector{0, 2}}, {"two", std::vector{1, 3}}}) {
    const fs::path at = fs::path(folder(name)) / to;
    EXPECT_EQ(hg::testing::content_of((at / "it's $HOME.json").string()), "config");
    for (int p = 0; p < 4; ++p) {
      const bool here = p == parts[0] || p == parts[1];
      EXPECT_EQ(hg::testing::content_of((at / ("part" + std::to_string(p)) / "graph.dgl").string()),
                here ? "graph " + std::to_string(p) : "")
          << name << p;
    }
  }
}

TEST(check_machines, require_equally_many_parts_each) {
  const std::vector<hg::machine> two{{"a", {}}, {"b", {}}}, option{{"-oProxyCommand=x", {}}};
  EXPECT_NO_THROW(hg::check_machines(two, 4, "ip"));
  EXPECT_THROW(hg::check_machines(two, 3, "ip"), hg::error);
  EXPECT_THROW(hg::check_machines({}, 3, "ip"), hg::error);
  EXPECT_THROW(hg::check_machines(option, 1, "ip"), hg::error);
}

}  // namespace

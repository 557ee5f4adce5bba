// SPDX-License-Identifier: BSL-1.0
#include <halograph/serial/text/xml.hpp>

#include <gtest/gtest.h>
#include <support/words.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace hg = halograph;
using hg::testing::refusal_of;

namespace {

const std::string file = "f.xml";

/// "<a x=1>text</a>" of what the reader finds.
std::string events(std::string_view text) {
  hg::xml_reader reader(text, file);
  std::string out;
  for (;;) {
    switch (reader.next()) {
      case hg::xml_event::start:
        out += "<" + std::string(reader.name());
        if (const auto x = reader.attribute("x")) out += " x=" + reader.decoded(*x);
        out += ">";
        break;
      case hg::xml_event::end:
        out += "</" + std::string(reader.name()) + ">";
        break;
      case hg::xml_event::text:
        reader.append_text(out);
        break;
      case hg::xml_event::done:
        return out;
    }
  }
}

TEST(xml_reader, finds_tags_attributes_and_text) {
  EXPECT_EQ(events("<a/>"), "<a></a>");
  EXPECT_EQ(events("<a y='\"' x = \"1\" ><p:b x='>'/>t</a >\n"), "<a x=1><b x=>></b>t</a>");
  EXPECT_EQ(
      events("\xEF\xBB\xBF<?xml version='1.0' encoding=\"UTF-8\"?>\n<!DOCTYPE a SYSTEM \"x>y\">"
             "<!-- <b> --><a><!--</a>-->1<?x </a>?>2</a><!-- - -->"),
      "<a>12</a>");
  for (const char* declaration :
       {"version='1.0'", "encoding=none", "encoding='us-ascii'", "encoding=\"ASCII\""})
    EXPECT_EQ(events("<?xml " + std::string(declaration) + "?><a/>"), "<a></a>") << declaration;
  EXPECT_EQ(events("<!DOCTYPE a SYSTEM 'x>y'><a/>"), "<a></a>");
  EXPECT_EQ(events("<a><![CDATA[<b>&amp;]]]]><![CDATA[>]]></a>"), "<a><b>&amp;]]></a>");
  EXPECT_EQ(events("<a x='&#65;&#x20AC;&#x1F600;'>&lt;&gt;&amp;&apos;&quot;&#233;</a>"),
            "<a x=A\xE2\x82\xAC\xF0\x9F\x98\x80><>&'\"\xC3\xA9</a>");
}

TEST(xml_reader, refuses_what_is_not_well_formed_with_the_line) {
  struct {
    const char* text;
    hg::error_kind code;
    std::uint64_t line;
    const char* words;
  } const cases[] = {
      {"", hg::error_kind::truncated, 1, "no element"},
      {"\n<a>\n", hg::error_kind::truncated, 3, "within the element \"a\""},
      {"<a>\n<b>\n</a>", hg::error_kind::malformed, 3, "must close \"b\""},
      {"<a/>\n</a>", hg::error_kind::malformed, 2, "closes no element"},
      {"<a/>\n<b/>", hg::error_kind::malformed, 2, "a document has one"},
      {"text", hg::error_kind::malformed, 1, "outside all elements"},
      {"<a/>\nx", hg::error_kind::malformed, 1, "outside all elements"},
      {"<a>\n< b/></a>", hg::error_kind::malformed, 2, "must have a name"},
      {"<a x/>", hg::error_kind::malformed, 1, "a value in quotes"},
      {"<a x=1/>", hg::error_kind::malformed, 1, "a value in quotes"},
      {"<a x='<'/>", hg::error_kind::malformed, 1, "&lt;"},
      {"<a x='1", hg::error_kind::truncated, 1, "does not end"},
      {"<a x", hg::error_kind::truncated, 1, "does not end"},
      {"<a x=", hg::error_kind::truncated, 1, "does not end"},
      {"<a", hg::error_kind::truncated, 1, "does not end"},
      {"<a></a", hg::error_kind::truncated, 1, "must close with >"},
      {"<a></a x>", hg::error_kind::malformed, 1, "must close with >"},
      {"<!-- x", hg::error_kind::truncated, 1, "a comment begins here"},
      {"<a><![CDATA[x]]", hg::error_kind::truncated, 1, "a CDATA section begins here"},
      {"<?xml x", hg::error_kind::truncated, 1, "an instruction begins here"},
      {"<!DOCTYPE a \"", hg::error_kind::truncated, 1, "a document type begins here"},
      {"<!DOCTYPE", hg::error_kind::truncated, 1, "a document type begins here"},
      {"<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", hg::error_kind::unsupported, 1,
       "declarations of its own"},
      {"<a>\n&b;</a>", hg::error_kind::malformed, 1, "\"&b\" is unknown"},
      {"<a>&lt</a>", hg::error_kind::malformed, 1, "is unknown"},
      {"<a>&#0;</a>", hg::error_kind::malformed, 1, "is unknown"},
      {"<a>&#xD800;</a>", hg::error_kind::malformed, 1, "is unknown"},
      {"<a>&#x110000;</a>", hg::error_kind::malformed, 1, "is unknown"},
      {"<a>&#99999999999;</a>", hg::error_kind::malformed, 1, "is unknown"},
      {"<a>&#6x;</a>", hg::error_kind::malformed, 1, "is unknown"},
      {"<a>&abcdefghijklmnopqrstuvwxyzabcdefgh;</a>", hg::error_kind::malformed, 1, "is unknown"},
      {"<![CDATA[x]]>", hg::error_kind::malformed, 1, "a CDATA section within an element"},
      {"<a>\n<!DOCTYPE a></a>", hg::error_kind::malformed, 2, "before the first element"},
      {"<a/>\n<!DOCTYPE a>", hg::error_kind::malformed, 2, "before the first element"},
      {"<?xml version='1.0' encoding='latin1'?><a/>", hg::error_kind::unsupported, 1,
       "it must be UTF-8"},
  };
  for (const auto& c : cases) {
    const auto problem = refusal_of([&] { return events(c.text); });
    EXPECT_EQ(problem.code(), c.code) << c.text << ": " << problem.what();
    EXPECT_EQ(problem.where().line, c.line) << c.text << ": " << problem.what();
    EXPECT_NE(std::string(problem.what()).find(c.words), std::string::npos) << problem.what();
  }
}

TEST(xml_reader, holds_no_more_open_elements_than_its_limit) {
  std::string open, closed;
  for (std::size_t i = 0; i < hg::xml_reader::max_depth; ++i) open += "<a>", closed += "</a>";
  EXPECT_NO_THROW(events(open + closed));
  EXPECT_EQ(refusal_of([&] { return events(open + "<a>"); }).code(), hg::error_kind::unsupported);
}

}  // namespace

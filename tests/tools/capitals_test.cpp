#include "tools/capitals.hpp"
#include "tools/countries.hpp"
#include <doctest/doctest.h>
#include <iterator>
#include <set>
#include <string>
using namespace weft::tools;

TEST_CASE("every country of the world has a capital under each of its names") {
    CHECK(std::size(countries) == 198);  // 193 members, 2 observers, Kosovo, Taiwan, Western Sahara
    std::set<std::string_view> names;
    for (auto& country : countries) {
        CHECK(names.insert(country.name).second);
        CHECK(capital_of(country.name) == country.capital);
    }
    CHECK(capital_of("Spain") == "Madrid");
    CHECK(capital_of("Argentina") == "Buenos Aires");
    CHECK(capital_of("United States") == "Washington, D.C.");
}

TEST_CASE("a country is found in any letter case, with other blanks and accents, and by usual short names") {
    for (auto* name : {"USA", "u.s.a.", "the  United States of America", " united states\n"})
        CHECK(capital_of(name) == "Washington, D.C.");
    CHECK(capital_of("UK") == "London");
    CHECK(capital_of("C\xC3\x94TE D\xE2\x80\x99IVOIRE") == "Yamoussoukro");
    CHECK(capital_of("T\xC3\xBCrkiye") == "Ankara");
    CHECK(capital_of("Tu\xCC\x88rkiye") == "Ankara");
    CHECK(capital_of("Guinea Bissau") == "Bissau");
    CHECK(capital_of("St. Kitts & Nevis") == "Basseterre");
    CHECK(capital_of("Holland").starts_with("Amsterdam"));
}

TEST_CASE("a fragment, an ambiguous name or an unknown country is never guessed") {
    for (auto* name : {"", " ", "Arg", "A", "Korea", "Congo", "Madrid", "Spain Portugal", "Atlantis", "\xFF\xC3", ";"})
        CHECK_THROWS_AS(capital_of(name), ToolError);
    CHECK_THROWS_WITH(capital_of("Atlantis"), "unknown country 'Atlantis': give the whole English name of one country, "
                                              "for example Spain or United States");
    CHECK_THROWS_AS(capital_of(std::string(1u << 20, 'a')), ToolError);
}

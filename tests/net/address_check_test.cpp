// The maker of a client decides which addresses it may use.
#include "engine/net/http_client.hpp"
#include "engine/net/net_error.hpp"
#include "engine/testing/await.hpp"
#include "tests/support/rude_server.hpp"
#include <boost/asio/ip/address.hpp>
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::net;
using testing::await;

TEST_CASE("a client checks each address of every host before it connects") {
    testing::RudeServer server({testing::always(200, "pong")});
    std::vector<std::string> asked;
    bool allowed = true;
    HttpClient client([&](const boost::asio::ip::address& address) {
        asked.push_back(address.to_string());
        if (!allowed) throw std::runtime_error("not there");
    });
    HttpRequest request{.url = server.url("/")};

    CHECK(await(client.send(request)).body == "pong");
    CHECK(asked == std::vector<std::string>{"127.0.0.1"});

    allowed = false;
    for (const char* host : {"127.0.0.1", "localhost", "2130706433", "0x7f.1", "::ffff:127.0.0.1"}) {
        request.url.host = host;
        CHECK_THROWS_WITH(await(client.send(request)), "not there");
    }
    CHECK(server.connections() == 1);
}

// This program plays the messages of a run of mpj-sim on the same torus in SimGrid.
//
//   mpj-simgrid DIMS O HOP BYTE < messages.csv      (64x32x32; seconds, seconds, seconds a byte)
//
// Every rank is an actor that goes through its part of the list in order: it is busy for O, then
// sends; or it waits for a message, then is busy for O. What was pulled is a request of 32 bytes to
// the owner's port, an actor of its own, which answers with the data. Links have HOP of latency and
// 1 / BYTE of bandwidth each way, shared by max-min fairness (SimGrid's CM02 without TCP's bounds);
// ports are unlimited. Prints when the last rank was done, in seconds.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg4 = simgrid::s4u;

namespace {

enum class Kind { send, receive, ask };

struct Event {
  long long time;
  long number; // of the line: what is equal in time goes in its order
  Kind kind;
  int peer;
  double bytes;
};

struct Answer {
  std::string to;
  double bytes;
};

const double request_bytes = 32;
double overhead;
std::vector<unsigned long> dims;
std::vector<std::vector<Event>> programs;

std::string box(const char *kind, int from, int to)
{
  return kind + std::to_string(from) + "-" + std::to_string(to);
}

// SimGrid's torus counts the first dimension fastest, ranks the last.
int node_of(int rank)
{
  unsigned long rest = static_cast<unsigned long>(rank), id = 0, stride = 1;
  std::vector<unsigned long> at(dims.size());
  for (size_t d = dims.size(); d-- > 0; rest /= dims[d])
    at[d] = rest % dims[d];
  for (size_t d = 0; d < dims.size(); stride *= dims[d++])
    id += at[d] * stride;
  return static_cast<int>(id);
}

void rank_main(int rank)
{
  std::map<std::string, int> asked;
  for (const Event &e : programs[static_cast<size_t>(rank)]) {
    if (e.kind == Kind::receive) {
      auto *got = sg4::Mailbox::by_name(box(e.bytes < 0 ? "p" : "m", e.peer, rank))->get<double>();
      delete got;
      sg4::this_actor::sleep_for(overhead);
      continue;
    }
    sg4::this_actor::sleep_for(overhead);
    if (e.kind == Kind::send)
      sg4::Mailbox::by_name(box("m", rank, e.peer))
          ->put_init(new double(e.bytes), static_cast<uint64_t>(e.bytes))
          ->detach();
    else
      sg4::Mailbox::by_name("port" + std::to_string(e.peer))
          ->put_init(new Answer{box("p", e.peer, rank), e.bytes}, static_cast<uint64_t>(request_bytes))
          ->detach();
  }
}

void port_main(int rank)
{
  auto *mine = sg4::Mailbox::by_name("port" + std::to_string(rank));
  for (;;) {
    auto *answer = mine->get<Answer>();
    sg4::Mailbox::by_name(answer->to)
        ->put_init(new double(answer->bytes), static_cast<uint64_t>(answer->bytes))
        ->detach();
    delete answer;
  }
}

bool read_dims(const std::string &text)
{
  std::istringstream in(text);
  for (unsigned long n; in >> n; in.get())
    dims.push_back(n);
  return !dims.empty();
}

// The list's lines become events of both ends. A rank's receive waits for what has come by its
// mailbox: data that was pulled has one of its own, and no size there (-1).
bool read_messages(std::istream &in, std::map<std::string, int> &boxes)
{
  std::string line;
  std::getline(in, line);
  if (line != "kind,from,to,bytes,begun_ps,ended_ps") return false;
  for (long number = 0; std::getline(in, line); number++) {
    char kind[16];
    int from, to;
    double bytes;
    long long begun, ended;
    if (std::sscanf(line.c_str(), "%15[a-z],%d,%d,%lf,%lld,%lld", kind, &from, &to, &bytes, &begun,
                    &ended) != 6)
      return false;
    const bool pulled = kind[0] == 'p';
    const int n = static_cast<int>(programs.size());
    if (from < 0 || to < 0 || from >= n || to >= n) return false;
    boxes[box(pulled ? "p" : "m", from, to)] = to;
    if (pulled)
      programs[static_cast<size_t>(to)].push_back({begun, number, Kind::ask, from, bytes});
    else
      programs[static_cast<size_t>(from)].push_back({begun, number, Kind::send, to, bytes});
    programs[static_cast<size_t>(to)].push_back(
        {ended, number, Kind::receive, from, pulled ? -1 : bytes});
  }
  for (auto &p : programs)
    std::sort(p.begin(), p.end(), [](const Event &a, const Event &b) {
      return a.time != b.time ? a.time < b.time : a.number < b.number;
    });
  return true;
}

} // namespace

int main(int argc, char **argv)
{
  sg4::Engine engine(&argc, argv);
  sg4::Engine::set_config("network/model:CM02");
  sg4::Engine::set_config("network/TCP-gamma:0");
  sg4::Engine::set_config("network/crosstraffic:0");
  std::map<std::string, int> boxes;
  if (argc != 5 || !read_dims(argv[1])) {
    std::cerr << "usage: mpj-simgrid DIMS O HOP BYTE < messages.csv\n";
    return 2;
  }
  overhead = std::atof(argv[2]);
  const double hop = std::atof(argv[3]), byte = std::atof(argv[4]);
  unsigned long nodes = 1;
  for (unsigned long d : dims)
    nodes *= d;
  programs.resize(nodes);
  if (!read_messages(std::cin, boxes)) {
    std::cerr << "mpj-simgrid: standard input is no list of mpj-sim --messages\n";
    return 2;
  }
  std::vector<sg4::Host *> hosts(nodes);
  const sg4::ClusterCallbacks callbacks(
      [&hosts](sg4::NetZone *zone, const std::vector<unsigned long> &, unsigned long id) {
        hosts[id] = zone->create_host("node" + std::to_string(id), 1e9)->seal();
        return std::make_pair(hosts[id]->get_netpoint(),
                              static_cast<simgrid::kernel::routing::NetPoint *>(nullptr));
      });
  sg4::create_torus_zone("torus", nullptr, dims, callbacks, 1 / byte, hop,
                         sg4::Link::SharingPolicy::SPLITDUPLEX)
      ->seal();
  std::vector<sg4::ActorPtr> ranks;
  for (unsigned long r = 0; r < nodes; r++) {
    const int rank = static_cast<int>(r);
    auto *host = hosts[static_cast<size_t>(node_of(rank))];
    ranks.push_back(sg4::Actor::create("rank" + std::to_string(r), host, rank_main, rank));
    auto port = sg4::Actor::create("port" + std::to_string(r), host, port_main, rank);
    port->daemonize();
    sg4::Mailbox::by_name("port" + std::to_string(r))->set_receiver(port);
  }
  for (const auto &b : boxes) // a message sets out when it is sent, whoever waits for it
    sg4::Mailbox::by_name(b.first)->set_receiver(ranks[static_cast<size_t>(b.second)]);
  engine.run();
  std::printf("%.12g\n", sg4::Engine::get_clock());
  return 0;
}

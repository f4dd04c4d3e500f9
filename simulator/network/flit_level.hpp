#pragma once
// Any topology of routers, flit by flit. Each link ends in input queues, one per virtual channel; credits say upstream
// how much room they have. What happens in a cycle, in this order (simulator/README.md says why):
//
//  1. each core and channel puts the next flit of its first message into a queue of its router, as of the cycle before;
//  2. credits that are due come back;
//  3. head flits that have crossed their router ask for a virtual channel of the link ahead; each link serves them in
//     turn while it has free ones;
//  4. each input port proposes one of its queues, and each link or ejection port takes one of those proposed to it: the
//     one it served last while that message has a flit ready, else the next in turn;
//  5. the flits taken move on, and their credits start back.
//
// Nothing here depends on the order of calls within a cycle. It is neither a process nor a clock: `cycle` is called for
// the cycles that it asks for.
#include <deque>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "simulator/network/index_set.hpp"
#include "simulator/network/mailbox.hpp"
#include "simulator/network/routes.hpp"

namespace pimento::sim {

class FlitFabric {
 public:
  FlitFabric(const isa::Chip& chip, const Routes& routes, FlightSink& sink);

  static constexpr Cycles never = -1;

  /// A message for cycle flight.start, which has not gone by. The interface of its source holds any number of them.
  void launch(const Flight& flight, const std::vector<Endpoint>& destinations);
  /// The next cycle in which something may move; `never` when nothing is under way.
  Cycles next() const { return next_; }
  /// All that happens in cycle next().
  void cycle();

  const std::vector<std::int64_t>& traffic() const { return traffic_; }  ///< flits by resource
  std::int64_t flit_hops() const { return flit_hops_; }
  std::int64_t flits_inside() const { return flits_inside_; }  ///< in queues and on links

 private:
  static constexpr std::uint32_t nobody = 0xffffffffU;
  using Packet = std::uint32_t;   ///< index into packets_
  using Channel = std::uint32_t;  ///< index into queues_: input port * virtual channels + virtual channel

  struct InFlight {
    Flight flight;
    std::int64_t flits = 0;
    std::vector<Endpoint> destinations;
    int left = 0;  ///< of them, not reached
  };
  struct Flit {
    Packet packet = nobody;
    std::int64_t number = 0;
    Cycles ready = 0;  ///< it has crossed the router
  };
  struct Queue {
    Fifo<Flit> flits;
    std::uint32_t router = 0;
    int room = 0;                 ///< as upstream knows it
    bool owned = false;           ///< by a message that is entering
    Resource output = nobody;     ///< of the message at the front
    Channel downstream = nobody;  ///< behind a link, what it was given there
  };
  /// A multicast before one of the resources by which it leaves a router. What holds it there holds whole messages, so
  /// it asks for no virtual channel and no credit.
  struct Copy {
    Packet packet = 0;
    Resource output = 0;
    std::uint32_t next_router = 0;
    std::vector<Endpoint> destinations{};
    Fifo<Cycles> ready{};
    std::int64_t sent = 0;
    std::vector<Copy*> behind{};  ///< what it feeds once its head has passed a link
  };
  /// What stands between a core or a channel and its router.
  struct Interface {
    std::map<std::pair<Cycles, std::uint32_t>, Packet> waiting{};  ///< by start and sequence
    Packet packet = nobody;
    std::int64_t sent = 0;
    Channel queue = nobody;
    std::vector<Copy*> copies{};
  };
  struct Turn {
    std::uint64_t last = 0;
    bool holds = false;  ///< its message is not through
  };
  struct Request {
    Resource link;
    Channel queue;
    int channel_class;
    std::uint32_t next;  ///< the router behind the link
  };
  struct Proposal {
    Resource output;
    std::uint64_t who;  ///< an input port, or behind all of them a copy
    Channel queue;
    Copy* copy;
  };
  /// A message that another of the same pair may overtake.
  struct Expected {
    Packet packet;
    bool here;
  };

  void inject(Cycles at);
  bool begin_next(Endpoint source, Cycles at);
  void return_credits(Cycles now);
  void allocate_channels(Cycles now);
  void request(Channel id);
  Channel free_channel(Resource link, int channel_class) const;
  void propose(Cycles now);
  void grant(Cycles now);
  void move(const Proposal& taken, Cycles now);
  void move_copy(const Proposal& taken, Cycles now);
  void finish(Packet packet, Endpoint destination, Cycles arrival);
  std::vector<Copy*> copies_at(std::uint32_t router, Packet packet, const std::vector<Endpoint>& destinations);
  void look_ahead(Cycles now);
  void check_that_time_helps(Cycles now) const;
  bool may_move(const Queue& queue, Cycles now) const;
  std::uint32_t injection_port(Endpoint endpoint) const { return routes_.links() + endpoint; }

  const Routes& routes_;
  FlightSink& sink_;
  const isa::Chip& chip_;
  Cycles router_, link_;
  std::uint32_t channels_;  ///< virtual ones of a link
  std::vector<Queue> queues_;
  std::vector<Interface> interfaces_;
  std::vector<InFlight> packets_;
  std::vector<Packet> spare_;
  std::map<std::tuple<Endpoint, std::uint32_t, Resource>, Copy> copies_;  ///< by source, sequence, output
  IndexSet busy_;                                                         ///< queues that hold flits
  IndexSet injecting_;                                                    ///< interfaces that hold messages
  std::deque<std::pair<Cycles, Channel>> link_credits_, interface_credits_;
  std::vector<Turn> outputs_, inputs_;
  std::vector<Channel> allocated_;  ///< by link: whose message got the latest virtual channel
  std::vector<Request> requests_;
  std::vector<Proposal> proposals_;
  std::vector<Routes::Way> ways_;
  struct Arrival {
    Packet packet;
    Endpoint destination;
  };
  std::vector<Arrival> arrivals_;
  std::map<std::pair<Endpoint, Endpoint>, std::deque<Expected>> expected_;
  std::vector<std::int64_t> traffic_;
  std::int64_t flit_hops_ = 0, flits_inside_ = 0;
  Cycles next_ = never;
  bool moved_ = false;  ///< a flit or a credit, in the latest cycle
};

}  // namespace pimento::sim

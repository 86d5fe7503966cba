package dev.weft.lab.scale;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.node.FabricShape;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.ReceiveRequest;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.lab.hosts.HardwareProfile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Many hosts of a hardware profile in virtual time, on leaf switches under spines: each has reliable connections to some others and one
 * datagram queue pair for all others, and all together exchange a number of messages. Each message is checked for its bytes, each one
 * over a connection for its place in the order, and datagrams by their number and a sum.
 *
 * <p>Created, run and closed by one thread. What the run costs in real time is for the caller to measure, between the three calls.
 */
public final class ScaleExperiment implements AutoCloseable {
  /** Connections of each host; fewer hosts than that and one more are all connected with each other. */
  public static final int PEERS = 16;
  private static final int HOSTS_PER_LEAF = 32;
  private static final int SPINES = 8;
  private static final long PER_MESSAGE_MAX_NS = 1_000_000;
  private static final long SETTLE_NS = 200_000_000;

  /**
   * What to run.
   *
   * @param hosts 2 to 10,000
   * @param messages of all hosts together, {@code hosts} to 2^31 - 1; half of them over connections, half datagrams
   * @param shape how the switches are cabled
   */
  public record Setup(int hosts, long messages, FabricShape shape) {
    public Setup {
      if (hosts < 2 || hosts > 10_000) {
        throw new IllegalArgumentException("hosts is " + hosts + ", must be from 2 to 10000");
      }
      if (messages < hosts || messages > Integer.MAX_VALUE) {
        throw new IllegalArgumentException("messages is " + messages + ", must be from hosts = " + hosts + " to 2147483647");
      }
    }

    /** Thirty-two hosts on a leaf, eight spines. */
    public static Setup of(int hosts, long messages) {
      return new Setup(hosts, messages, FabricShape.fatTree(HOSTS_PER_LEAF, SPINES));
    }

    /** Connections of each host. */
    public int peers() {
      return hosts <= PEERS + 1 ? hosts - 1 : PEERS;
    }
  }

  /**
   * What came out.
   *
   * @param setup what was run
   * @param profile hardware profile
   * @param seed seed of the run
   * @param switches leaves and spines
   * @param virtualNs virtual nanoseconds from the first post until everything had arrived and was acknowledged
   * @param events mailbox steps and timer events of that time
   * @param rcMessages that arrived over connections, each once, in order, with its bytes
   * @param udMessages datagrams that arrived
   * @param registeredBytesPerHost native memory that a host has registered
   * @param traceHash over the whole run
   */
  public record Result(Setup setup, String profile, long seed, int switches, long virtualNs, long events, long rcMessages,
      long udMessages, long registeredBytesPerHost, long traceHash) {}

  private final HardwareProfile profile;
  private final long seed;
  private final Setup setup;
  private final VirtualFabric fabric;
  private final Arena arena = Arena.ofShared();
  private final ScaleHost[] hosts;
  private long completedCount;
  private long receivedCount;
  /** Posting copies a request and polling fills one in, so all hosts share one of each. */
  final WorkRequest workRequest = new WorkRequest();
  final ReceiveRequest receiveRequest = new ReceiveRequest();
  final WorkCompletion completion = new WorkCompletion();

  /** Builds the fabric and connects all hosts. */
  public ScaleExperiment(HardwareProfile profile, long seed, Setup setup) {
    this.profile = profile;
    this.seed = seed;
    this.setup = setup;
    fabric = new VirtualFabric(seed, profile, setup.shape(), LinkFaults.NONE, ConfigFactory.empty());
    hosts = new ScaleHost[setup.hosts()];
    long bytes = ScaleHost.memoryBytes(setup.peers());
    MemorySegment memory = arena.allocate(bytes * setup.hosts(), Long.BYTES);
    for (int i = 0; i < hosts.length; i++) {
      hosts[i] = new ScaleHost(this, i, fabric.addNode("host-" + i).hca(), setup.peers(), memory.asSlice(i * bytes, bytes));
    }
    connectAll();
    for (ScaleHost host : hosts) {
      host.open();
    }
    fabric.system().runFor(1_000_000);
  }


  /** Every host with every other, or with those at eight distances to both sides, near and far. */
  private void connectAll() {
    int count = hosts.length;
    int peers = setup.peers();
    for (int i = 0; i < count; i++) {
      if (peers == count - 1) {
        for (int j = i + 1; j < count; j++) {
          connect(hosts[i], hosts[j]);
        }
      } else {
        for (int side = 0; side < peers / 2; side++) {
          int distance = 1 + side * ((count - 1) / 2) / (peers / 2);
          connect(hosts[i], hosts[(i + distance) % count]);
        }
      }
    }
  }

  private void connect(ScaleHost one, ScaleHost other) {
    ScaleHost.connect(one, one.addConnection(other.index), other, other.addConnection(one.index), profile.mtuBytes());
  }

  /**
   * Exchanges all messages.
   *
   * @throws IllegalStateException if one is missing, came twice, out of order or with other bytes; or a request failed
   */
  public Result exchange() {
    long startNs = fabric.system().nowNs();
    long startEvents = fabric.system().eventsRun();
    for (int i = 0; i < hosts.length; i++) {
      hosts[i].start(setup.messages() / hosts.length + (i < setup.messages() % hosts.length ? 1 : 0));
    }
    boolean done = fabric.system().runUntil(() -> completedCount >= setup.messages() && receivedCount >= setup.messages(),
        PER_MESSAGE_MAX_NS * setup.messages());
    long virtualNs = fabric.system().nowNs() - startNs;
    long events = fabric.system().eventsRun() - startEvents;
    check(done);
    return new Result(setup, profile.name(), seed, fabric.switchCount(), virtualNs, events, sumOfRc(), receivedCount - sumOfRc(),
        ScaleHost.memoryBytes(setup.peers()), fabric.system().traceHash());
  }

  private void check(boolean done) {
    if (!done) {
      throw new IllegalStateException(completedCount + " of " + setup.messages() + " messages were completed and " + receivedCount
          + " received after " + fabric.system().nowNs() + " ns");
    }
    // Whatever comes too often comes soon.
    fabric.system().runFor(SETTLE_NS);
    if (completedCount != setup.messages() || receivedCount != setup.messages()) {
      throw new IllegalStateException(completedCount + " completions and " + receivedCount + " receives for " + setup.messages()
          + " messages");
    }
    for (ScaleHost host : hosts) {
      if (host.udSumExpected != host.udSumReceived || !host.isDone()) {
        throw new IllegalStateException("host " + host.index + " did not get exactly the datagrams that were sent to it");
      }
    }
  }

  private long sumOfRc() {
    long sum = 0;
    for (ScaleHost host : hosts) {
      sum += host.rcReceived;
    }
    return sum;
  }

  int hostCount() {
    return hosts.length;
  }

  ScaleHost host(int index) {
    return hosts[index];
  }

  void sendCompleted() {
    completedCount++;
  }

  void received() {
    receivedCount++;
  }

  @Override
  public void close() {
    try {
      fabric.close();
    } finally {
      arena.close();
    }
  }
}

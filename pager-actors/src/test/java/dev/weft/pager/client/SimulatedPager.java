package dev.weft.pager.client;

import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.host.DiskCosts;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.time.Clock;
import dev.weft.hca.netvm.BackingStore;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NetVmSettings;
import dev.weft.hca.netvm.SimulatedBackingStore;
import dev.weft.hca.netvm.VmProcessor;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.pager.PagerSettings;
import dev.weft.pager.Registration;
import dev.weft.pager.server.CopyCharge;
import dev.weft.pager.server.MemoryServer;
import dev.weft.pager.server.MemoryServerSnapshot;
import dev.weft.pager.server.ServerSettings;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** A client node and memory servers on nodes of their own, in virtual time. */
final class SimulatedPager implements AutoCloseable {
  private static final int PAGE_BYTES = 4096;
  private static final DiskCosts DISK = new DiskCosts(20_000, 10_000, 400_000_000, 400_000_000);
  static final long SECOND = 1_000_000_000L;

  final VirtualFabric fabric;
  final List<MemoryServer> servers = new ArrayList<>();
  final List<Node> nodes = new ArrayList<>();
  final List<String> serverNodes = new ArrayList<>();
  /** Whether disks refuse what they are to keep. */
  boolean disksAreFull;
  private int probes;

  SimulatedPager(long seed, LinkFaults faults, int serverCount, ServerSettings settings) {
    this(seed, faults, serverCount, settings, clock -> CopyCharge.NONE);
  }

  /** {@code charges} makes what each server's copies are charged by. */
  SimulatedPager(long seed, LinkFaults faults, int serverCount, ServerSettings settings, Function<Clock, CopyCharge> charges) {
    fabric = VirtualFabric.create(seed, faults);
    for (int i = 0; i < serverCount; i++) {
      String name = "server" + i;
      serverNodes.add(name);
      Node node = fabric.addNode(name);
      nodes.add(node);
      new ObservedWrites(node.hca());
      servers.add(MemoryServer.start(node, MemoryServer.SERVICE, settings, virtualMemory(node, settings),
          charges.apply(node.context().clock())));
    }
    fabric.system().runFor(1_000_000);
  }

  /** With a disk of virtual time behind it; null if the server wants none. */
  private HostVm virtualMemory(Node node, ServerSettings settings) {
    if (settings.registration() != Registration.UNPINNED) {
      return null;
    }
    NetVmSettings sizes = new NetVmSettings(PAGE_BYTES, (int) (settings.residentBytes() / PAGE_BYTES),
        (int) (settings.memoryBytes() / PAGE_BYTES), 4, 16, 1 << 30);
    HostVm vm = new HostVm(sizes, new Disk(new SimulatedBackingStore(fabric.system(), DISK)), VmProcessor.DIRECT);
    node.hca().attachVm(vm);
    return vm;
  }

  /** A disk that may be full. */
  private final class Disk implements BackingStore {
    private final BackingStore store;

    Disk(BackingStore store) {
      this.store = store;
    }

    @Override
    public void read(long page, MemorySegment frame, Done done) {
      store.read(page, frame, done);
    }

    @Override
    public void write(long page, MemorySegment frame, Done done) {
      boolean refuses = disksAreFull;
      store.write(page, frame, failure -> done.done(refuses ? "no space left" : failure));
    }

    @Override
    public void discard(long page) {
      store.discard(page);
    }

    @Override
    public void close() {
      store.close();
    }
  }

  static Config config(String overrides) {
    return ConfigFactory.parseString(overrides).withFallback(ConfigFactory.load());
  }

  static ServerSettings serverSettings(String overrides) {
    return ServerSettings.from(config("weft.pager.server { " + overrides + " }"));
  }

  static PagerSettings clientSettings(String overrides) {
    return PagerSettings.from(config("weft.pager.client { " + overrides + " }"));
  }

  /** A node for clients. */
  Node addNode(String name) {
    Node node = fabric.addNode(name);
    new ObservedWrites(node.hca());
    return node;
  }

  /** Opens a device of equal areas, or returns what was said instead in {@code refused}. */
  PagerDevice open(Node node, String name, long areaBytes, PagerSettings settings, List<String> refused) {
    List<ServerSpec> specs = serverNodes.stream().map(server -> new ServerSpec(server, MemoryServer.SERVICE, areaBytes)).toList();
    PagerDevice[] opened = new PagerDevice[1];
    PagerClient.open(node, name, specs, settings, null, new PagerClient.OpenListener() {
      @Override
      public void onOpen(PagerDevice device) {
        opened[0] = device;
      }

      @Override
      public void onFailed(String reason) {
        refused.add(reason);
      }
    });
    fabric.system().runUntil(() -> opened[0] != null || !refused.isEmpty(), 60 * SECOND);
    return opened[0];
  }

  PagerSnapshot inspect(PagerDevice device) {
    return ask(device::inspect);
  }

  MemoryServerSnapshot inspect(MemoryServer server) {
    return ask(server::inspect);
  }

  private <T> T ask(Consumer<ActorRef<T>> question) {
    List<T> answers = new ArrayList<>();
    ActorRef<T> probe = fabric.system().spawn(Behaviors.receiveMessage(answer -> {
      answers.add(answer);
      return Behaviors.stopped();
    }), "probe" + probes++);
    question.accept(probe);
    if (!fabric.system().runUntil(() -> !answers.isEmpty(), SECOND)) {
      throw new IllegalStateException("no answer to an inspection");
    }
    return answers.getFirst();
  }

  @Override
  public void close() {
    fabric.close();
  }
}

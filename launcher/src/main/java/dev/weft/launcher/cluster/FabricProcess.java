package dev.weft.launcher.cluster;

import akka.actor.typed.javadsl.AskPattern;
import akka.cluster.Member;
import akka.cluster.MemberStatus;
import akka.cluster.typed.Cluster;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.fabric.admission.FabricKeys;
import dev.weft.fabric.cluster.ControlPort;
import dev.weft.fabric.cluster.JoinCheck;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NetVmSettings;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.NodeLink;
import dev.weft.launcher.http.AdmissionSection;
import dev.weft.launcher.http.HttpService;
import dev.weft.launcher.http.HttpSettings;
import dev.weft.launcher.http.Inspection;
import dev.weft.launcher.http.NetVmSection;
import dev.weft.launcher.http.PagerSection;
import dev.weft.launcher.http.SubnetSection;
import dev.weft.pager.Notification;
import dev.weft.pager.Registration;
import dev.weft.pager.client.AreaState;
import dev.weft.pager.client.PagerDevice;
import dev.weft.pager.netvm.ServerMemory;
import dev.weft.pager.server.MemoryServer;
import dev.weft.pager.server.MemoryServerActor;
import dev.weft.pager.server.MemoryServerSnapshot;
import dev.weft.pager.server.ServerSettings;
import dev.weft.service.CommandFailure;
import dev.weft.tripwire.Nic;
import dev.weft.tripwire.NicException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * This JVM as a part of a fabric: the cluster JVM, its memory servers, its HTTP inspection and its record in the state directory. Used by
 * one thread, but for {@link #awaitEnd} and {@link #end}.
 */
final class FabricProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(3);
  private static final int REMOVAL_TOLD_S = 20;

  private final Config config;
  private final StateDirectory states;
  private final ClusterFabric fabric;
  private final AtomicReference<String> failure = new AtomicReference<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Map<String, MemoryServer> servers = new LinkedHashMap<>();
  private final List<Nic> nics = new CopyOnWriteArrayList<>();
  private final List<Offered> exports = new CopyOnWriteArrayList<>();
  private final List<HostVm> virtualMemories = new ArrayList<>();
  private volatile LongSupplier refusedJoins = () -> 0;
  private HttpService http;
  private RunState state;

  /**
   * Starts the cluster JVM.
   *
   * @param host address of this host that the control plane and the trunks listen on
   * @param driverDirectory the media driver's
   * @param keys of the fabric, or null if it has no secret
   */
  FabricProcess(Config base, StateDirectory states, HostAddress host, int port, List<String> seeds, Path driverDirectory, String role,
      FabricKeys keys) throws IOException {
    this.config = host.applyTo(base);
    this.states = states;
    MediaDriverSettings driver = MediaDriverSettings.of(config);
    fabric = start(new ClusterFabric.Place(host.host(), port, seeds, List.of(role), driver.withDirectory(driverDirectory), NodeLink.DIRECT,
        this::fail), config, keys);
    fabric.system().getWhenTerminated().thenRun(() -> fail("this JVM is not in the fabric any more: the JVM that runs the block device"
        + " was not heard for too long, or has removed it"));
  }

  private static ClusterFabric start(ClusterFabric.Place place, Config config, FabricKeys keys) throws ControlPort.TakenException {
    try {
      return ClusterFabric.start(place, config, keys);
    } catch (ControlPort.TakenException e) {
      throw e;
    } catch (IOException | IllegalStateException e) {
      throw new CommandFailure(e.getMessage(), e); // Directories, room and the media driver: the message says all.
    }
  }

  ClusterFabric fabric() {
    return fabric;
  }

  /** Says where HTTP inspection finds how many JVMs were not let in. */
  void showRefusedJoins(LongSupplier count) {
    refusedJoins = count;
  }

  Config config() {
    return config;
  }

  /** Puts a CLAN NIC into each node of this JVM that has none yet. */
  void attachNics() {
    fabric.nodes().stream().filter(node -> nics.stream().noneMatch(nic -> nic.node() == node)).forEach(this::attachNic);
  }

  private void attachNic(Node node) {
    try {
      nics.add(Nic.start(fabric, node));
    } catch (NicException e) {
      throw new CommandFailure(e.getMessage(), e);
    }
  }

  /** Adds a node that offers {@code capacityBytes} of this JVM's memory. */
  void addMemoryServer(String nodeName, long capacityBytes) {
    Config own = config.withValue("weft.pager.server.memory", ConfigValueFactory.fromAnyRef(capacityBytes));
    try {
      ServerSettings settings = ServerSettings.from(own);
      MachineMemory.check(MachineMemory.ofServer(capacityBytes, settings), 1, 0); // Others may have taken it since this JVM was asked for.
      Node node = addNode(nodeName, settings.notification());
      servers.put(nodeName, MemoryServer.start(node, MemoryServer.SERVICE, settings, virtualMemory(node, settings)));
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(e.getMessage(), e); // Settings: the message says all.
    } catch (OutOfMemoryError e) {
      throw new CommandFailure(nodeName + " cannot reserve " + (capacityBytes >> 20) + " MiB: " + e.getMessage()
          + "; offer less, or raise -XX:MaxDirectMemorySize", e);
    }
  }

  /** Adds a host, with a CLAN NIC if Tripwires are to tell its pager of messages. */
  Node addNode(String name, Notification notification) {
    Node node = fabric.addNode(name);
    if (notification == Notification.TRIPWIRE) {
      attachNic(node);
    }
    return node;
  }

  /** The host's, if its memory server is to lend such; else null. */
  private HostVm virtualMemory(Node node, ServerSettings settings) {
    if (settings.registration() != Registration.UNPINNED) {
      return null;
    }
    try {
      HostVm vm = ServerMemory.open(settings, NetVmSettings.from(config));
      virtualMemories.add(vm);
      node.hca().attachVm(vm);
      return vm;
    } catch (IOException e) {
      throw new CommandFailure("the memory server of " + node.name() + " has no page file: " + (e.getMessage() == null ? e : e.getMessage())
          + "; free space, lend less (--memory), or name another directory by weft.pager.server.page-file-directory", e);
    }
  }

  /**
   * Starts HTTP inspection and records this process.
   *
   * @param address {@code host:port}, or null for the configured one
   * @param details what else the section {@code pager} shows
   */
  void publish(RunState.Kind kind, String address, List<String> nbd, Supplier<Map<String, CompletableFuture<?>>> details) throws IOException {
    Inspection inspection = Inspection.of(fabric.address(), fabric::nodes, fabric.leafSwitch(), fabric.directory(),
            fabric.dispatcher())
        .withTrunks(fabric::trunks)
        .withSection(SubnetSection.NAME, () -> SubnetSection.of(fabric.directory().view()))
        .withSection("media-driver", fabric::mediaDriver)
        .withSection(AdmissionSection.NAME, () -> AdmissionSection.of(refusedJoins.getAsLong(), fabric.trunkRefusals()))
        .withNics(() -> List.copyOf(nics))
        .withExports(this::exports)
        .withSection(NetVmSection.NAME, () -> NetVmSection.of(fabric.nodes()))
        .withSection(PagerSection.NAME, () -> pagerSection(details.get()));
    try {
      HttpSettings settings = HttpSettings.from(config);
      http = HttpService.start(fabric.system(), inspection, this::isReady, address == null ? settings : settings.at(address));
    } catch (IOException | IllegalArgumentException e) {
      throw new CommandFailure(e.getMessage(), e);
    }
    state = RunState.ofThisProcess(kind, fabric.address(), http.uri(), fabric.driver().directory(), nbd);
    state.write(states.path());
  }

  private CompletionStage<PagerSection> pagerSection(Map<String, CompletableFuture<?>> details) {
    Map<String, CompletableFuture<MemoryServerSnapshot>> asked = new LinkedHashMap<>();
    servers.forEach((node, server) -> asked.put(node, AskPattern.<MemoryServerActor.Command, MemoryServerSnapshot>ask(
        server.actor(), MemoryServerActor.Inspect::new, PATIENCE, fabric.system().scheduler()).toCompletableFuture()));
    List<CompletableFuture<?>> answers = new ArrayList<>(asked.values());
    answers.addAll(details.values());
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).thenApply(all -> {
      List<PagerSection.MemoryServer> rows = new ArrayList<>();
      Map<String, Object> more = new LinkedHashMap<>();
      details.forEach((name, answer) -> more.put(name, answer.join()));
      asked.forEach((node, answer) -> {
        MemoryServerSnapshot s = answer.join();
        rows.add(new PagerSection.MemoryServer(node, s.memoryBytes(), s.memoryBytes() - s.freeBytes(),
            s.clients().size() + s.keptAreas()));
        more.put(node, s);
      });
      return new PagerSection(rows, exports(), more);
    });
  }

  /** A block device that is served. */
  private record Offered(String name, PagerDevice device, String nbd) {}

  /** The block devices as they stand now. */
  private List<PagerSection.Export> exports() {
    return exports.stream().map(one -> PagerSection.Export.of(one.name(), one.device().sizeBytes(), one.nbd(), one.device().areaStatus())).toList();
  }

  /** Whether this JVM does all that it is there for: not if it has left the fabric, or a part of a device that it serves is lost. */
  private boolean isReady() {
    return failure.get() == null && exports.stream().flatMap(one -> one.device().areaStatus().stream())
        .noneMatch(area -> area.state() == AreaState.LOST);
  }

  void addExport(String name, PagerDevice device, String nbd) {
    exports.add(new Offered(name, device, nbd));
  }

  void removeExport(String name) {
    exports.removeIf(export -> export.name().equals(name));
  }

  RunState state() {
    return state;
  }

  private void fail(String reason) {
    failure.compareAndSet(null, reason);
    ended.countDown();
  }

  /**
   * Waits until this JVM is a member of the fabric that it joins.
   *
   * @return false if nobody has let it in within {@code patience}
   * @throws CommandFailure if the fabric is not one that this JVM may join, or {@link #end} was called
   */
  boolean awaitMembership(Duration patience) throws InterruptedException {
    long endNs = System.nanoTime() + patience.toNanos();
    while (!Cluster.get(fabric.system()).selfMember().status().equals(MemberStatus.up())) {
      if (ended.await(50, TimeUnit.MILLISECONDS)) {
        throw new CommandFailure(JoinCheck.refusal() != null ? JoinCheck.refusal() : failure.get() != null ? failure.get() : "interrupted");
      }
      if (System.nanoTime() > endNs) {
        return false;
      }
    }
    return true;
  }

  /** Asks {@link #awaitEnd} to return. Any thread. */
  void end() {
    ended.countDown();
  }

  /** Waits until {@link #end} is called, or throws if this JVM has lost the fabric. */
  void awaitEnd() throws InterruptedException {
    ended.await();
    if (failure.get() != null) {
      throw new CommandFailure(failure.get());
    }
  }

  /** The same, but returns false when no JVM with {@code role} is left in the fabric. */
  boolean awaitEndWhileThereIs(String role) throws InterruptedException {
    while (!ended.await(1, TimeUnit.SECONDS)) {
      if (!hasMember(role)) {
        // Where this JVM was removed it sees nobody any more, and is told why in a moment.
        boolean wasRemoved = !isMember() && ended.await(REMOVAL_TOLD_S, TimeUnit.SECONDS);
        if (wasRemoved) {
          awaitEnd();
        }
        return wasRemoved;
      }
    }
    awaitEnd();
    return true;
  }

  private boolean isMember() {
    Cluster cluster = Cluster.get(fabric.system());
    return !cluster.isTerminated() && cluster.selfMember().status() == MemberStatus.up();
  }

  private boolean hasMember(String role) {
    for (Member member : Cluster.get(fabric.system()).state().getMembers()) {
      if (member.hasRole(role)) {
        return true;
      }
    }
    return false;
  }

  /** Ends everything that this process started. */
  @Override
  public void close() throws IOException {
    if (state != null) {
      states.remove(state);
    }
    if (http != null) {
      http.close();
    }
    fabric.close();
    virtualMemories.forEach(HostVm::close);
  }
}

package dev.weft.pager.service;

import akka.actor.Address;
import akka.actor.typed.Behavior;
import akka.actor.typed.Props;
import akka.actor.typed.javadsl.AskPattern;
import akka.actor.typed.javadsl.Behaviors;
import akka.cluster.ClusterEvent;
import akka.cluster.MemberStatus;
import akka.cluster.typed.Cluster;
import akka.cluster.typed.Subscribe;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.time.RealClock;
import dev.weft.hca.node.Node;
import dev.weft.pager.PagerSettings;
import dev.weft.pager.client.PagerClient;
import dev.weft.pager.client.PagerClientActor;
import dev.weft.pager.client.PagerDevice;
import dev.weft.pager.client.PagerSnapshot;
import dev.weft.pager.client.ServerSpec;
import dev.weft.pager.nbd.NbdExercise;
import dev.weft.pager.nbd.NbdExport;
import dev.weft.pager.nbd.NbdServer;
import dev.weft.pager.nbd.NbdSettings;
import dev.weft.pager.server.MemoryServer;
import dev.weft.service.Alarm;
import dev.weft.service.CommandFailure;
import dev.weft.service.Host;
import dev.weft.service.Running;
import dev.weft.service.Section;
import dev.weft.service.StatusTable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The block devices of a fabric, in its first JVM: one over the memory servers that {@code weft up} has started, and one for each JVM that has
 * joined. Its inspection also shows the memory servers of this JVM.
 */
final class BlockDevices implements Running {
  private static final Duration INSPECT_PATIENCE = Duration.ofSeconds(3);
  private static final int OPEN_PATIENCE_S = 30;
  private static final int NODES_PATIENCE_S = 60;
  private static final int EXERCISE_CONNECTIONS = 4;
  private static final int EXERCISE_PATIENCE_S = 20;

  private final Host host;
  private final MemoryServers here;
  private final long areaBytes;
  private final JoinedExports<PagerDevice> joined = new JoinedExports<>(new JoinedSteps());
  private final Replacement replacement = new Replacement();
  private final LostExports lost = new LostExports();
  /** The lock for adding and removing exports. */
  private final Object exportLock = new Object();
  private final List<Offered> exports = new CopyOnWriteArrayList<>();
  private final Node client;
  /** The device over the memory servers that {@code weft up} has started. */
  private final PagerDevice device;
  private final NbdServer nbd;
  /** The number of attempts to open a device, which makes the names of the actors unique. */
  private int opened;

  /** A served block device. {@code jvm} is the control-plane address of the JVM with its memory, if that JVM has joined. */
  private record Offered(String name, PagerDevice device, String nbd, String jvm) {
    PagerSection.Export shown() {
      return PagerSection.Export.of(name, device.sizeBytes(), nbd, device.areaStatus());
    }
  }

  /**
   * Opens the device and serves it.
   *
   * @param here memory servers of this JVM
   * @param servers nodes whose memory the device uses
   * @param areaBytes memory of each node
   */
  BlockDevices(Host host, MemoryServers here, List<String> servers, long areaBytes) throws InterruptedException {
    this.host = host;
    this.here = here;
    this.areaBytes = areaBytes;
    client = MemoryServers.addNode(host, "client", PagerSettings.from(host.config()).notification());
    awaitNodes(servers);
    device = open("default", servers, areaBytes);
    NbdExport export = new NbdExport("", "memory of " + String.join(", ", servers), device, false);
    try {
      nbd = NbdServer.start(NbdSettings.from(host.config()), List.of(export), RealClock.INSTANCE);
    } catch (IOException | IllegalArgumentException e) {
      device.close();
      throw new CommandFailure(e.getMessage(), e); // The message names the wrong address, certificate or setting.
    }
    exports.add(new Offered("", device, nbd.uris().getFirst(), host.fabric().address()));
    host.fabric().system().systemActorOf(removals(), "weft-pager-lost-exports", Props.empty());
  }

  private Behavior<ClusterEvent.MemberRemoved> removals() {
    return Behaviors.setup(context -> {
      Cluster.get(context.getSystem()).subscriptions().tell(Subscribe.create(context.getSelf(), ClusterEvent.MemberRemoved.class));
      return Behaviors.receiveMessage(event -> {
        if (event.previousStatus() == MemberStatus.down()) {
          Address address = event.member().address();
          lost.removed(address.getHost().orElse("") + ":" + address.getPort().orElse(0));
        }
        return Behaviors.same();
      });
    });
  }

  /** Waits until this JVM's directory has the servers, whose JVMs are already ready. */
  private void awaitNodes(List<String> servers) throws InterruptedException {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(NODES_PATIENCE_S);
    for (String server : servers) {
      while (host.fabric().directory().lookup(server).isEmpty()) {
        host.checkMembers();
        if (System.nanoTime() > endNs) {
          throw new CommandFailure("the memory server " + server + " was not on the fabric after " + NODES_PATIENCE_S + " s");
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  private PagerDevice open(String name, List<String> servers, long bytes) {
    CompletableFuture<PagerDevice> result = new CompletableFuture<>();
    List<ServerSpec> specs = servers.stream().map(node -> new ServerSpec(node, MemoryServer.SERVICE, bytes)).toList();
    PagerClient.open(client, name + "-" + ++opened, specs, clientSettings(), new DispatcherHelp(host.fabric().dispatcher()),
        new PagerClient.OpenListener() {
          @Override
          public void onOpen(PagerDevice device) {
            if (!result.complete(device)) {
              device.close(); // The wait for it has timed out.
            }
          }

          @Override
          public void onFailed(String reason) {
            result.completeExceptionally(new CommandFailure("device '" + name + "': " + reason));
          }
        });
    try {
      return result.orTimeout(OPEN_PATIENCE_S, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof CommandFailure refused ? refused : e;
    }
  }

  /** Returns the client's settings with a share of the buffers for each connection that the NBD server accepts. */
  private PagerSettings clientSettings() {
    Config config = host.config();
    int shares = Math.max(config.getInt("weft.pager.client.shares"), NbdSettings.from(config).connectionsMax());
    return PagerSettings.from(config.withValue("weft.pager.client.shares", ConfigValueFactory.fromAnyRef(shares)));
  }

  /** Serves the memory of JVMs that have joined, and removes the exports of JVMs that have left. */
  @Override
  public void look() {
    synchronized (exportLock) {
      joined.look(joinedNodes().keySet().stream().filter(name -> !replacement.hasTaken(name)).toList());
    }
  }

  /** Returns the nodes whose memory must be a separate export, with its size in bytes. */
  private Map<String, Long> joinedNodes() {
    Map<String, Long> found = new LinkedHashMap<>();
    for (Advert advert : host.fabric().directory().adverts(PagerService.NAME)) {
      boolean isThere = host.fabric().directory().lookup(advert.node()).isPresent();
      Optional<Long> bytes = advert.number(MemoryServers.CAPACITY).filter(capacity -> capacity > 0);
      if (isThere && advert.text(MemoryServers.EXPORT).isPresent() && bytes.isPresent()) {
        found.put(advert.node(), bytes.get());
      }
    }
    return found;
  }

  /** The steps by which the memory of a JVM that has joined becomes an export. */
  private final class JoinedSteps implements JoinedExports.Steps<PagerDevice> {
    @Override
    public PagerDevice open(String name) {
      Long bytes = joinedNodes().get(name);
      if (bytes == null) {
        throw new CommandFailure(name + " has left");
      }
      return BlockDevices.this.open(name, List.of(name), bytes);
    }

    @Override
    public void serve(String name, PagerDevice opened) {
      nbd.addExport(new NbdExport(name, "memory of " + name, opened, false));
      exports.add(new Offered(name, opened, nbd.uris(name).getFirst(), host.fabric().directory().lookup(name).map(NodeEntry::jvm).orElse("")));
    }

    @Override
    public void withdraw(String name) {
      nbd.removeExport(name);
      exports.stream().filter(export -> export.name().equals(name) && !replacement.hasTaken(name))
          .forEach(export -> lost.withdrawn(name, export.jvm(), export.device().sizeBytes(), Instant.ofEpochSecond(0, RealClock.wallNs())));
      exports.removeIf(export -> export.name().equals(name));
    }

    @Override
    public void close(PagerDevice opened) {
      opened.close();
    }
  }

  /** Serves {@code weft pager replace}, which replaces a lost area by a JVM that has joined, see {@link Replacement}; and {@code forget}. */
  @Override
  public List<String> answer(List<String> words) {
    if (words.size() == ForgetCommand.WORDS && words.getFirst().equals(ForgetCommand.FORGET)) {
      return lost.forget(words.getLast());
    }
    if (words.size() != ReplaceCommand.WORDS || !words.getFirst().equals(ReplaceCommand.REPLACE)) {
      return Running.super.answer(words);
    }
    Replacement.Choice choice = Replacement.choose(words.get(1), words.get(2), device.areaStatus(), joinedNodes());
    if (!words.get(3).equals(ReplaceCommand.SURE)) {
      throw new CommandFailure(choice.warning());
    }
    synchronized (exportLock) {
      try {
        return replacement.replace(choice, device, this::look);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CommandFailure("interrupted", e);
      }
    }
  }

  @Override
  public Map<String, Section> sections() {
    return Map.of(PagerService.NAME, Section.of(this::section));
  }

  private CompletionStage<PagerSection> section() {
    Map<String, CompletableFuture<PagerSnapshot>> asked = new LinkedHashMap<>();
    asked.put("device default", snapshot(device));
    joined.devices().forEach((name, one) -> asked.put("device " + name, snapshot(one)));
    return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new)).thenCombine(here.snapshots(), (all, servers) -> {
      Map<String, Object> details = new LinkedHashMap<>();
      asked.forEach((name, answer) -> details.put(name, answer.join()));
      details.put("nbdConnections", nbd.connectionCount());
      details.putAll(servers);
      return new PagerSection(PagerSection.MemoryServer.of(servers), shown(), details);
    });
  }

  private CompletableFuture<PagerSnapshot> snapshot(PagerDevice one) {
    return AskPattern.<PagerClientActor.Command, PagerSnapshot>ask(one.actor(), PagerClientActor.Inspect::new, INSPECT_PATIENCE,
        host.fabric().system().scheduler()).toCompletableFuture();
  }

  /** The current state of the block devices. */
  private List<PagerSection.Export> shown() {
    return exports.stream().map(Offered::shown).toList();
  }

  @Override
  public CompletionStage<List<StatusTable>> tables() {
    return here.snapshots().handle((servers, silent) -> silent == null ? List.of(MemoryServers.table(servers), table(shown())) : List.of(table(shown())));
  }

  static StatusTable table(List<PagerSection.Export> exports) {
    StatusTable table = StatusTable.of("Exports", "NAME", ">SIZE", "STATE", "NBD", "SERVERS");
    for (PagerSection.Export export : exports) {
      table = table.row(export.name(), StatusTable.bytes(export.sizeBytes()), export.state(), export.nbd(), String.join(",", export.servers()));
    }
    return table;
  }

  @Override
  public List<Alarm> alarms() {
    List<Alarm> all = new ArrayList<>(PagerAlarms.of(shown()));
    all.addAll(lost.alarms());
    return all;
  }

  @Override
  public Optional<String> problem() {
    String lost = alarms().stream().filter(alarm -> alarm.kind().equals(PagerAlarms.AREA_LOST)).map(Alarm::text).collect(Collectors.joining("; "));
    return Optional.of(lost).filter(text -> !text.isEmpty());
  }

  @Override
  public List<String> describe() {
    List<String> lines = new ArrayList<>();
    nbd.uris().forEach(uri -> lines.add("NBD      " + uri + "  (" + (device.sizeBytes() >> 20) + " MiB)"));
    return lines;
  }

  @Override
  public List<String> endpoints() {
    return nbd.uris();
  }

  /** Sends NBD requests to each export, after the exports of all JVMs that have joined are served. */
  @Override
  public void exercise(Duration time) throws IOException, InterruptedException {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(EXERCISE_PATIENCE_S);
    while (!joined.devices().keySet().containsAll(joinedNodes().keySet())) {
      if (System.nanoTime() > endNs) {
        throw new CommandFailure("the memory of " + joinedNodes().keySet() + " was not served within " + EXERCISE_PATIENCE_S + " s");
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
    Path socket = nbd.uris().stream().filter(uri -> uri.startsWith("nbd+unix:")).findFirst()
        .map(uri -> Path.of(URI.create(uri).getQuery().substring("socket=".length()))).orElseThrow(() -> new CommandFailure("NBD has no Unix socket"));
    for (Offered export : exports) {
      NbdExercise.run(socket, export.name(), EXERCISE_CONNECTIONS, new NbdExercise.Parts(export.device().areaStatus().size(), areaBytes,
          Math.min(areaBytes, export.device().sizeBytes())), System.nanoTime() + time.toNanos());
    }
  }

  @Override
  public void close() {
    nbd.close();
    joined.devices().values().forEach(PagerDevice::close);
    device.close();
  }
}

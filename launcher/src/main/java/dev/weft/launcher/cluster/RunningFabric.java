package dev.weft.launcher.cluster;

import akka.actor.typed.javadsl.AskPattern;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import dev.weft.fabric.admission.AdmissionDesk;
import dev.weft.fabric.admission.FabricKeys;
import dev.weft.fabric.cluster.ControlPort;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.time.RealClock;
import dev.weft.hca.node.Node;
import dev.weft.pager.PagerSettings;
import dev.weft.pager.client.PagerClient;
import dev.weft.pager.client.PagerClientActor;
import dev.weft.pager.client.PagerDevice;
import dev.weft.pager.client.PagerSnapshot;
import dev.weft.pager.client.ServerSpec;
import dev.weft.pager.nbd.NbdExport;
import dev.weft.pager.nbd.NbdServer;
import dev.weft.pager.nbd.NbdSettings;
import dev.weft.pager.server.MemoryServer;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.ChildJvm;
import dev.weft.service.process.DriverPlace;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What {@code weft up} runs: the first JVM with node {@code client} (the block device and its NBD front end), memory servers here or in
 * member JVMs, and one more export for each JVM that joins.
 */
final class RunningFabric implements AutoCloseable {
  /** First control port that is tried; below the range of ephemeral ports, so that of two JVMs this one has the lower address. */
  static final int CONTROL_PORT = 25520;

  private static final int CONTROL_PORTS = 200;

  /** Cluster role of this JVM. */
  static final String ROLE = "front";

  private static final Logger LOG = LoggerFactory.getLogger(RunningFabric.class);
  private static final int MEMBER_PATIENCE_S = 120;
  private static final Duration INSPECT_PATIENCE = Duration.ofSeconds(3);
  private static final int OPEN_PATIENCE_S = 30;
  private static final int STOP_PATIENCE_S = 20;
  private static final String SERVER_PREFIX = "memory-";

  private final Config config;
  private final StateDirectory states;
  private final Plan plan;
  private final DriverPlace driver;
  private final FabricProcess process;
  /** Null if the fabric has no secret. */
  private final FabricKeys keys;
  private AdmissionDesk desk;
  private final List<ChildJvm> members = new ArrayList<>();
  private final List<String> base = new ArrayList<>();
  private final JoinedExports<PagerDevice> joined = new JoinedExports<>(new JoinedSteps());
  private final ScheduledExecutorService watcher = Executors.newSingleThreadScheduledExecutor(
      Thread.ofPlatform().daemon().name("weft-watch").factory());
  private Node client;
  /** The memory of the servers that this started. */
  private PagerDevice device;
  /** Attempts to open a device; makes the names of their actors differ. */
  private int opened;
  private NbdServer nbd;
  private final Replacement replacement = new Replacement();
  private ControlSocket control;

  /**
   * What was asked for.
   *
   * @param memoryBytes of each server
   * @param http {@code host:port}, or null for the configured one
   * @param host address of this host that the fabric listens on
   * @param secret that JVMs need to join
   * @param pagerArguments see {@link PagerOptions#arguments}; the configuration has them already
   * @param tripwire whether each node has a CLAN NIC
   */
  record Plan(int jvms, int servers, long memoryBytes, String http, HostAddress host, SecretChoice secret, List<String> pagerArguments,
      boolean tripwire) {}

  private RunningFabric(Config config, StateDirectory states, Plan plan) throws IOException {
    this.config = config;
    this.states = states;
    this.plan = plan;
    keys = plan.secret().newKeys();
    driver = DriverPlace.forUp(config, plan.jvms());
    try {
      process = startProcess();
      driver.announce(process.fabric().address());
    } catch (IOException | RuntimeException | Error e) {
      driver.close();
      throw e;
    }
  }

  /** At the first control port that can be taken. */
  private FabricProcess startProcess() throws IOException {
    for (int port = CONTROL_PORT; port < CONTROL_PORT + CONTROL_PORTS; port++) {
      try {
        return new FabricProcess(config, states, plan.host(), port, List.of(), driver.path(), ROLE, keys);
      } catch (ControlPort.TakenException taken) {
        LOG.debug("{}; trying the next one", taken.getMessage());
      }
    }
    throw new CommandFailure("no port from " + CONTROL_PORT + " to " + (CONTROL_PORT + CONTROL_PORTS - 1) + " of " + plan.host().host()
        + " is free for the control plane, both UDP and TCP; end what holds them, or choose another address by --bind");
  }

  /** Starts everything and returns when the block device is served; on failure nothing is left behind. */
  static RunningFabric start(Config config, StateDirectory states, Plan plan, Consumer<String> progress) throws Exception {
    RunningFabric running = new RunningFabric(config, states, plan);
    try {
      running.startAll(progress);
      return running;
    } catch (Exception | Error e) {
      Thread.interrupted(); // Ctrl-C: cleaning up waits for processes to end in an orderly way.
      running.close();
      throw e;
    }
  }

  private void startAll(Consumer<String> progress) throws Exception {
    for (int i = 1; i <= plan.servers(); i++) {
      base.add(SERVER_PREFIX + i);
    }
    openDesk();
    progress.accept("Starting " + plan.servers() + " memory servers of " + (plan.memoryBytes() >> 20) + " MiB in "
        + (plan.jvms() == 1 ? "this JVM" : plan.jvms() - 1 + " other JVMs") + " ...");
    if (plan.jvms() == 1) {
      base.forEach(name -> process.addMemoryServer(name, plan.memoryBytes()));
    } else {
      startMembers();
      awaitMembers();
    }
    client = process.addNode("client", PagerSettings.from(config).notification());
    if (plan.tripwire()) {
      process.attachNics();
    }
    serve();
    control = ControlSocket.open(ControlSocket.path(states, ProcessHandle.current().pid()), Map.of(ControlSocket.REPLACE,
        words -> replace(words.get(0), words.get(1), words.get(2).equals(ControlSocket.SURE))));
    process.publish(RunState.Kind.UP, plan.http(), nbd.uris(), this::details);
    watcher.scheduleWithFixedDelay(this::watch, 1, 1, TimeUnit.SECONDS);
  }

  private void openDesk() {
    if (keys == null) {
      return;
    }
    desk = AdmissionDesk.open(process.fabric().port().desk(), keys);
    process.showRefusedJoins(desk::refusals);
  }

  private void startMembers() throws IOException {
    int others = plan.jvms() - 1;
    for (int jvm = 0; jvm < others; jvm++) {
      List<String> arguments = new ArrayList<>(List.of("member", "--seed=" + process.fabric().address(), "--bind=" + plan.host().host(),
          "--driver=" + process.fabric().driver().directory(), "--memory=" + plan.memoryBytes(),
          "--parent=" + ProcessHandle.current().pid()));
      if (keys != null) {
        arguments.add("--secret-file=" + plan.secret().file());
      }
      arguments.addAll(plan.pagerArguments());
      for (int server = jvm; server < plan.servers(); server += others) {
        arguments.add("--node=" + base.get(server));
      }
      if (plan.tripwire()) {
        arguments.add("--tripwire");
      }
      String name = "member-" + (jvm + 1);
      ChildJvm member = ChildJvm.start(name, arguments, states.logFile(name));
      member.whenEnded(() -> forget(member));
      members.add(member);
    }
  }

  /** One that was killed does not remove its record, and nobody has to be asked there any more. */
  private void forget(ChildJvm member) {
    try {
      states.removeMember(member.pid());
    } catch (IOException e) {
      LOG.warn("the record of a member that has ended stays: {}", e.toString());
    }
  }

  /** A member records itself when its memory servers listen; the directory tells where their nodes are. */
  private boolean membersAreReady() throws IOException {
    List<Long> recorded = states.running().stream().map(RunState::pid).toList();
    return members.stream().allMatch(member -> recorded.contains(member.pid()))
        && base.stream().allMatch(name -> process.fabric().directory().lookup(name).isPresent());
  }

  private void awaitMembers() throws InterruptedException, IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MEMBER_PATIENCE_S);
    while (!membersAreReady()) {
      for (ChildJvm member : members) {
        if (!member.isAlive()) {
          throw new CommandFailure(member.obituaryWithReason());
        }
      }
      if (System.nanoTime() > end) {
        throw new CommandFailure("the memory servers were not ready after " + MEMBER_PATIENCE_S + " s; their logs are in " + states.path());
      }
      Thread.sleep(50);
    }
  }

  private void serve() {
    device = open("default", base, plan.memoryBytes());
    NbdExport export = new NbdExport("", "memory of " + String.join(", ", base), device, false);
    try {
      nbd = NbdServer.start(NbdSettings.from(config), List.of(export), RealClock.INSTANCE);
    } catch (IOException | IllegalArgumentException e) {
      throw new CommandFailure(e.getMessage(), e); // Addresses, certificates and settings: the message says all.
    }
    process.addExport("", device, nbd.uris().getFirst());
  }

  private PagerDevice open(String name, List<String> servers, long areaBytes) {
    CompletableFuture<PagerDevice> result = new CompletableFuture<>();
    List<ServerSpec> specs = servers.stream().map(node -> new ServerSpec(node, MemoryServer.SERVICE, areaBytes)).toList();
    PagerClient.open(client, name + "-" + ++opened, specs, clientSettings(), new DispatcherHelp(process.fabric().dispatcher()),
        new PagerClient.OpenListener() {
          @Override
          public void onOpen(PagerDevice device) {
            if (!result.complete(device)) {
              device.close(); // Nobody waits for it any more.
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

  /** Every connection that the NBD server takes keeps a share of the buffers. */
  private PagerSettings clientSettings() {
    int shares = Math.max(config.getInt("weft.pager.client.shares"), NbdSettings.from(config).connectionsMax());
    return PagerSettings.from(config.withValue("weft.pager.client.shares", ConfigValueFactory.fromAnyRef(shares)));
  }

  /** Serves the memory of JVMs that have joined, and takes exports away whose JVM has left. */
  private void watch() {
    try {
      joined.look(joinedNodes().stream().filter(name -> !replacement.hasTaken(name)).toList());
    } catch (RuntimeException | Error e) {
      LOG.error("looking for JVMs that have joined failed; trying again", e); // Thrown on, it would be the last look.
    }
  }

  private List<String> joinedNodes() {
    return process.fabric().directory().nodes().stream().map(NodeEntry::name).filter(JoinedName::isOne).toList();
  }

  /** Puts a JVM that has joined in the place of a lost area; any thread. See {@link Replacement}. */
  private List<String> replace(String lost, String node, boolean isSure) {
    Replacement.Choice choice = Replacement.choose(lost, node, device.areaStatus(), joinedNodes());
    if (!isSure) {
      throw new CommandFailure(choice.warning());
    }
    try {
      return watcher.submit(() -> replacement.replace(choice, device, this::watch)).get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof CommandFailure refused ? refused : new CommandFailure(String.valueOf(e.getCause()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure("interrupted", e);
    }
  }

  /** How the memory of a JVM that has joined becomes an export. */
  private final class JoinedSteps implements JoinedExports.Steps<PagerDevice> {
    @Override
    public PagerDevice open(String name) {
      return RunningFabric.this.open(name, List.of(name), JoinedName.memoryBytes(name));
    }

    @Override
    public void serve(String name, PagerDevice opened) {
      nbd.addExport(new NbdExport(name, "memory of " + name, opened, false));
      process.addExport(name, opened, nbd.uris(name).getFirst());
    }

    @Override
    public void withdraw(String name) {
      nbd.removeExport(name);
      process.removeExport(name);
    }

    @Override
    public void close(PagerDevice opened) {
      opened.close();
    }
  }

  private Map<String, CompletableFuture<?>> details() {
    Map<String, CompletableFuture<?>> all = new LinkedHashMap<>();
    all.put("device default", snapshot(device));
    joined.devices().forEach((name, one) -> all.put("device " + name, snapshot(one)));
    all.put("nbdConnections", CompletableFuture.completedFuture(nbd.connectionCount()));
    return all;
  }

  private CompletableFuture<PagerSnapshot> snapshot(PagerDevice one) {
    return AskPattern.<PagerClientActor.Command, PagerSnapshot>ask(one.actor(), PagerClientActor.Inspect::new, INSPECT_PATIENCE,
        process.fabric().system().scheduler()).toCompletableFuture();
  }

  /** Lines for the person who started it. */
  List<String> describe() {
    List<String> lines = new ArrayList<>();
    nbd.uris().forEach(uri -> lines.add("NBD      " + uri + "  (" + (device.sizeBytes() >> 20) + " MiB)"));
    lines.add("HTTP     " + process.state().http() + "/weft");
    lines.add("Control  " + process.fabric().address() + "  (./weft join " + process.fabric().address()
        + (plan.host().isLoopback() ? "" : " --bind ADDRESS") + (keys == null ? ")" : " --secret-file FILE)"));
    if (keys != null) {
      lines.add("Secret   " + plan.secret().file() + "  (copy it to the hosts that join, readable by you only)");
    }
    lines.addAll(plan.host().warnings());
    return lines;
  }

  void awaitEnd() throws InterruptedException {
    process.awaitEnd();
  }

  /** Asks {@link #awaitEnd} to return. Any thread. */
  void end() {
    process.end();
  }

  @Override
  public void close() throws IOException {
    watcher.shutdownNow();
    try {
      if (control != null) {
        control.close();
      }
      if (desk != null) {
        desk.close();
      }
      if (nbd != null) {
        nbd.close();
      }
      joined.devices().values().forEach(PagerDevice::close);
      if (device != null) {
        device.close();
      }
      members.forEach(member -> member.stop(STOP_PATIENCE_S));
    } finally {
      try {
        process.close();
      } finally {
        driver.close();
      }
    }
  }
}

package dev.weft.launcher.cluster;

import akka.cluster.Member;
import akka.cluster.MemberStatus;
import akka.cluster.typed.Cluster;
import com.typesafe.config.Config;
import dev.weft.fabric.capture.CaptureHub;
import dev.weft.fabric.cluster.JoinCheck;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.NodeLink;
import dev.weft.launcher.http.AdmissionSection;
import dev.weft.launcher.http.HttpService;
import dev.weft.launcher.http.HttpSettings;
import dev.weft.launcher.http.Inspection;
import dev.weft.launcher.http.InspectionSocket;
import dev.weft.launcher.http.SubnetSection;
import dev.weft.service.CommandFailure;
import dev.weft.service.Host;
import dev.weft.service.Part;
import dev.weft.service.Running;
import dev.weft.service.access.FabricAccess;
import dev.weft.service.access.HostAddress;
import dev.weft.service.process.CaptureKey;
import dev.weft.service.process.ControlSocket;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
import dev.weft.service.process.StateKeeper;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This JVM as a part of a fabric: the JVM of the cluster, the services that run in it, its HTTP inspection and its record in the state
 * directory. One thread uses it, except for {@link #awaitEnd} and {@link #end}, which any thread may call.
 */
final class FabricProcess implements Host, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FabricProcess.class);
  private static final int REMOVAL_TOLD_S = 20;
  /** Longest wait for the end of a service; less than the commands that end this process wait. */
  private static final int CLOSE_PATIENCE_S = 12;
  private static final int STACK_LINES = 8;

  private final Config config;
  private final StateDirectory states;
  private final HostAddress host;
  private final ClusterFabric fabric;
  private final AtomicReference<String> failure = new AtomicReference<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  /** The running services by name, in the order in which they started. */
  private final Map<String, Running> running = new LinkedHashMap<>();
  private final List<Consumer<Node>> nodeListeners = new ArrayList<>();
  /** The last failure of the periodic look of each service, by its name. */
  private final Map<String, String> lookProblems = new ConcurrentHashMap<>();
  private final Deque<AutoCloseable> afterwards = new ArrayDeque<>();
  /** It has a thread for each service, so that no service waits for another. */
  private final ScheduledThreadPoolExecutor watcher = new ScheduledThreadPoolExecutor(1,
      Thread.ofPlatform().daemon().name("weft-watch-", 0).factory());
  private final CaptureHub capture = new CaptureHub();
  private final CaptureKey captureKey = CaptureKey.draw();
  private Runnable memberCheck = () -> {};
  private volatile LongSupplier refusedJoins = () -> 0;
  private boolean servicesClosed;
  private HttpService http;
  private RunState state;
  private StateKeeper keeper;
  private ControlSocket control;

  /** Starts or joins the fabric. */
  @FunctionalInterface
  interface Opening {
    ClusterFabric open(NodeLink link, Consumer<String> lost) throws IOException;
  }

  /**
   * Starts the cluster JVM.
   *
   * @param base settings, without those of {@code host}
   * @param host address of this host at which the control plane and the trunks listen
   */
  FabricProcess(Config base, StateDirectory states, HostAddress host, Opening opening) throws IOException {
    this.config = host.applyTo(base);
    this.states = states;
    this.host = host;
    fabric = opening.open(NodeLink.tapped(capture), this::fail);
    fabric.system().getWhenTerminated().thenRun(() -> fail("this JVM is out of the fabric: the first JVM"
        + " sent no heartbeat for too long, or has removed this one; start it again"));
  }

  @Override
  public ClusterFabric fabric() {
    return fabric;
  }

  @Override
  public Config config() {
    return config;
  }

  @Override
  public String processName() {
    return (host.host().equals(HostAddress.DEFAULT) ? "" : host.host() + "-") + ProcessHandle.current().pid();
  }

  /** Sets the count of rejected JVMs for HTTP inspection. */
  void showRefusedJoins(LongSupplier count) {
    refusedJoins = count;
  }

  /** Starts the services' parts in this JVM. */
  void startAll(Parts<? extends Part> parts) throws Exception {
    for (Map.Entry<String, ? extends Part> part : parts.byService().entrySet()) {
      running.put(part.getKey(), of(part.getKey(), "start", () -> part.getValue().start(this)));
    }
  }

  /** Returns the result of a call of a service. A failure becomes a CommandFailure with the name of the service, in one line, unless it is one already. */
  private static <T> T of(String service, String what, Callable<T> call) throws Exception {
    try {
      T given = call.call();
      if (given == null) {
        throw new CommandFailure("the service " + service + " returned null when asked to " + what);
      }
      return given;
    } catch (CommandFailure | InterruptedException e) {
      throw e;
    } catch (OutOfMemoryError e) {
      throw e;
    } catch (Exception | Error e) {
      throw new CommandFailure("the service " + service + " cannot " + what + ": " + (e instanceof Error || e.getMessage() == null ? e : e.getMessage()), e);
    }
  }

  /** Returns the running services by name. */
  Map<String, Running> running() {
    return running;
  }

  @Override
  public Node addNode(String name) {
    Node node = fabric.addNode(name);
    nodeListeners.forEach(listener -> listener.accept(node));
    return node;
  }

  @Override
  public void onNode(Consumer<Node> listener) {
    nodeListeners.add(listener);
    fabric.nodes().forEach(listener);
  }

  @Override
  public void equip(String service, Node node) {
    Running owner = running.get(service);
    if (owner == null) {
      throw new CommandFailure("node " + node.name() + " needs a device of the service " + service + ", whose jar is not on the class path");
    }
    owner.equip(node);
  }

  @Override
  public void afterwards(AutoCloseable resource) {
    afterwards.push(resource);
  }

  @Override
  public void checkMembers() {
    memberCheck.run();
  }

  /** Sets the check of the JVMs that this one has started; it throws CommandFailure if one of them has ended. */
  void checkMembersBy(Runnable check) {
    memberCheck = check;
  }

  /** From now on, lets the services check every second for changes. */
  void watch() {
    watcher.setCorePoolSize(Math.max(1, running.size()));
    running.forEach((name, service) -> watcher.scheduleWithFixedDelay(() -> look(name, service), 1, 1, TimeUnit.SECONDS));
  }

  private void look(String name, Running service) {
    try {
      service.look();
      lookProblems.remove(name);
    } catch (RuntimeException | Error e) { // If it were thrown on, the executor would not call this again.
      if (!e.toString().equals(lookProblems.put(name, e.toString()))) {
        LOG.error("the service {} could not react to a change of the fabric; it retries every second, and logs the same error once", name, e);
      }
    }
  }

  /**
   * Starts HTTP inspection and records this process.
   *
   * @param address {@code host:port}, or null for the configured one
   */
  void publish(RunState.Kind kind, String address) throws Exception {
    Map<String, List<String>> endpoints = endpoints();
    Inspection inspection = Inspection.of(fabric.address(), fabric::nodes, fabric.leafSwitch(), fabric.directory(), fabric.dispatcher())
        .withTrunks(fabric::trunks)
        .withSection(SubnetSection.NAME, () -> SubnetSection.of(fabric.directory().view()))
        .withSection("media-driver", fabric::mediaDriver)
        .withSection(AdmissionSection.NAME, () -> AdmissionSection.of(refusedJoins.getAsLong(), fabric.trunkRefusals()))
        .withCapture(capture, captureKey)
        .withServices(running);
    try {
      HttpSettings settings = HttpSettings.from(config);
      http = HttpService.start(fabric.system(), inspection, () -> failure.get() == null, address == null ? settings : settings.at(address));
    } catch (IOException | IllegalArgumentException e) {
      throw new CommandFailure(e.getMessage(), e);
    }
    state = RunState.ofThisProcess(kind, fabric.address(), http.uri(), fabric.driver().directory(), captureKey, endpoints);
    control = openControl(kind);
    keeper = StateKeeper.start(states, state);
    keeper.keep(control);
  }

  /** Opens the control socket. Only that of the first JVM accepts commands that change the fabric. */
  private ControlSocket openControl(RunState.Kind kind) throws IOException {
    Map<String, ControlSocket.Handler> handlers = new LinkedHashMap<>();
    if (kind == RunState.Kind.UP) {
      running.forEach((name, service) -> handlers.put(name, service::answer));
    }
    handlers.put(InspectionSocket.NAME, InspectionSocket.of(http));
    return ControlSocket.open(ControlSocket.path(states, kind, state.pid()), handlers);
  }

  /** Closes the socket for commands. Idempotent. */
  void takeNoCommands() throws IOException {
    if (control != null) {
      control.close();
    }
  }

  /** Keeps a further file in the state directory, from {@link #publish} on. */
  void keep(StateKeeper.Kept more) {
    keeper.keep(more);
  }

  private Map<String, List<String>> endpoints() throws Exception {
    Map<String, List<String>> all = new LinkedHashMap<>();
    for (Map.Entry<String, Running> service : running.entrySet()) {
      List<String> uris = of(service.getKey(), "name its endpoints", service.getValue()::endpoints);
      for (String uri : uris) {
        if (!uri.matches("[!-~]+")) {
          throw new CommandFailure("the service " + service.getKey() + " has the endpoint '" + uri + "', which is not a URI: it is empty or has blanks");
        }
      }
      if (!uris.isEmpty()) {
        all.put(service.getKey(), uris);
      }
    }
    return all;
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
   * @return false if the fabric has not admitted it within {@code patience}
   * @throws CommandFailure if the fabric is not one that this JVM may join, or {@link #end} was called
   */
  boolean awaitMembership(Duration patience) throws InterruptedException {
    if (FabricAccess.awaitMembership(fabric, patience, ended)) {
      return true;
    }
    if (ended.getCount() == 0) {
      throw new CommandFailure(JoinCheck.refusal() != null ? JoinCheck.refusal() : failure.get() != null ? failure.get() : "interrupted");
    }
    return false;
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

  /** Does the same, but returns false when no JVM with {@code role} is left in the fabric. */
  boolean awaitEndWhileThereIs(String role) throws InterruptedException {
    while (!ended.await(1, TimeUnit.SECONDS)) {
      if (!hasMember(role)) {
        // If this JVM was removed, it sees no members any more, and learns the reason in a moment.
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

  /** Ends the services before the fabric ends, the last one first. If one fails, the others still end. Idempotent. */
  void closeServices() {
    watcher.shutdownNow();
    if (servicesClosed) {
      return;
    }
    servicesClosed = true;
    List<String> names = new ArrayList<>(running.keySet());
    names.reversed().forEach(name -> close("the service " + name, running.get(name)));
  }

  /** Closes a resource. If that fails or takes too long, logs it and goes on. */
  private static void close(String what, AutoCloseable resource) {
    CountDownLatch done = new CountDownLatch(1);
    Thread closing = Thread.ofPlatform().daemon().name("weft-close").start(() -> {
      try {
        resource.close();
      } catch (Exception | Error e) {
        LOG.error("{} failed while it ended", what, e);
      } finally {
        done.countDown();
      }
    });
    try {
      if (!done.await(CLOSE_PATIENCE_S, TimeUnit.SECONDS)) {
        LOG.error("{} has not ended after {} s; the JVM ends without it. It is in\n  {}", what, CLOSE_PATIENCE_S,
            Arrays.stream(closing.getStackTrace()).limit(STACK_LINES).map(String::valueOf).collect(Collectors.joining("\n  ")));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends everything that this process started. */
  @Override
  public void close() throws IOException {
    try {
      takeNoCommands();
      if (keeper != null) {
        keeper.close();
      }
    } finally {
      if (http != null) {
        close("HTTP inspection", http);
      }
      closeServices();
      try {
        fabric.close();
      } finally {
        afterwards.forEach(resource -> close("what a service has left", resource));
      }
    }
  }
}

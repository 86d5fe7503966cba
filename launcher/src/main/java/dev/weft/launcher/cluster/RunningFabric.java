package dev.weft.launcher.cluster;

import com.typesafe.config.Config;
import dev.weft.fabric.admission.AdmissionDesk;
import dev.weft.fabric.admission.ControlPort;
import dev.weft.fabric.admission.FabricKeys;
import dev.weft.service.CommandFailure;
import dev.weft.service.Deployment;
import dev.weft.service.Launch;
import dev.weft.service.Running;
import dev.weft.service.access.FabricAccess;
import dev.weft.service.access.FabricTarget;
import dev.weft.service.access.HostAddress;
import dev.weft.service.access.SecretChoice;
import dev.weft.service.process.ChildJvm;
import dev.weft.service.process.DriverPlace;
import dev.weft.service.process.RunState;
import dev.weft.service.process.StateDirectory;
import dev.weft.service.process.StateKeeper;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The fabric of {@code weft up}: its first JVM with the services there, and the member JVMs with the other roles of the services. */
final class RunningFabric implements AutoCloseable {
  /** The first control port to try. */
  private static final int CONTROL_PORT = FabricTarget.FIRST_PORT;
  private static final int CONTROL_PORTS = 200;

  /** Cluster role of this JVM. */
  static final String ROLE = FabricAccess.FIRST_ROLE;

  private static final Logger LOG = LoggerFactory.getLogger(RunningFabric.class);
  private static final int MEMBER_PATIENCE_S = 120;
  private static final int STOP_PATIENCE_S = 20;

  private final Config config;
  private final StateDirectory states;
  private final Plan plan;
  private final DriverPlace driver;
  private final FabricProcess process;
  /** Null if the fabric has no secret. */
  private final FabricKeys keys;
  private AdmissionDesk desk;
  private final List<ChildJvm> members = new ArrayList<>();

  /**
   * The user's request.
   *
   * @param launch the launch, with the configuration that includes the services' options
   * @param http {@code host:port} of HTTP inspection, or null for the configured one
   * @param host address of this host at which the fabric listens
   * @param secret the choice of the secret that JVMs need to join
   * @param services the deployments of the services
   */
  record Plan(Launch launch, String http, HostAddress host, SecretChoice secret, Parts<Deployment> services) {}

  private RunningFabric(StateDirectory states, Plan plan) throws IOException {
    this.config = plan.launch().config();
    this.states = states;
    this.plan = plan;
    keys = plan.secret().newKeys();
    driver = DriverPlace.forUp(config, plan.launch().jvms());
    try {
      process = startProcess();
    } catch (IOException | RuntimeException | Error e) {
      driver.close();
      throw e;
    }
  }

  /** Starts this JVM at the first control port that is free. */
  private FabricProcess startProcess() throws IOException {
    for (int port = CONTROL_PORT; port < CONTROL_PORT + CONTROL_PORTS; port++) {
      try {
        return new FabricProcess(config, states, plan.host(), opening(port));
      } catch (ControlPort.TakenException taken) {
        LOG.debug("{}; trying the next one", taken.getMessage());
      }
    }
    throw new CommandFailure("no port from " + CONTROL_PORT + " to " + (CONTROL_PORT + CONTROL_PORTS - 1) + " of " + plan.host().host()
        + " is free for the control plane, both UDP and TCP; end what holds them, or choose another address by --bind");
  }

  private FabricProcess.Opening opening(int port) {
    return (link, lost) -> FabricAccess.startFirst(plan.host(), port, driver.path(), keys, config, new FabricAccess.Entry(ROLE, link, lost));
  }

  /** Starts everything and returns when the services are ready. After a failure, nothing is left over. */
  static RunningFabric start(StateDirectory states, Plan plan, Consumer<String> progress) throws Exception {
    RunningFabric running = new RunningFabric(states, plan);
    try {
      running.startAll(progress);
      return running;
    } catch (Exception | Error e) {
      Thread.interrupted(); // Clears the interrupt of Ctrl-C, so that the cleanup can wait for processes to end in an orderly way.
      running.close();
      throw e;
    }
  }

  private void startAll(Consumer<String> progress) throws Exception {
    driver.announce(process.fabric().address(), states);
    openDesk();
    plan.services().byService().forEach((name, service) -> {
      String line = service.announcement(plan.launch());
      if (!line.isEmpty()) {
        progress.accept(line);
      }
    });
    startMembers();
    awaitMembers();
    process.checkMembersBy(this::checkMembers);
    process.startAll(plan.services());
    process.publish(RunState.Kind.UP, plan.http());
    process.watch();
  }

  private void openDesk() {
    if (keys == null) {
      return;
    }
    desk = AdmissionDesk.open(process.fabric().port().desk(), keys);
    process.showRefusedJoins(desk::refusals);
  }

  private void startMembers() throws IOException {
    for (int number = 1; number < plan.launch().jvms(); number++) {
      List<String> arguments = new ArrayList<>(List.of("member", "--seed=" + process.fabric().address(), "--bind=" + plan.host().host(),
          "--driver=" + process.fabric().driver().directory(), "--parent=" + ProcessHandle.current().pid()));
      if (keys != null) {
        arguments.add("--secret-file=" + plan.secret().file());
      }
      for (Deployment service : plan.services().byService().values()) {
        arguments.addAll(service.argumentsOf(number, plan.launch()));
      }
      String name = "member-" + number;
      ChildJvm member = ChildJvm.start(name, arguments, states.logFile(name));
      member.whenEnded(() -> forget(member));
      members.add(member);
    }
  }

  /** Removes the record of a member that has ended. A killed member does not do that itself, and commands must not ask it any more. */
  private void forget(ChildJvm member) {
    try {
      states.removeMember(member.pid());
    } catch (IOException e) {
      LOG.warn("the record of a member that has ended stays: {}", e.toString());
    }
  }

  private void checkMembers() {
    for (ChildJvm member : members) {
      if (!member.isAlive()) {
        throw new CommandFailure(member.obituaryWithReason());
      }
    }
  }

  /** Waits until all members have recorded themselves, which they do when their roles listen. */
  private void awaitMembers() throws InterruptedException, IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(MEMBER_PATIENCE_S);
    while (!members.isEmpty()) {
      List<Long> recorded = states.running().stream().map(RunState::pid).toList();
      if (members.stream().allMatch(member -> recorded.contains(member.pid()))) {
        return;
      }
      checkMembers();
      if (System.nanoTime() > end) {
        throw new CommandFailure("the other JVMs were not ready after " + MEMBER_PATIENCE_S + " s; their logs are in " + states.path());
      }
      Thread.sleep(50);
    }
  }

  /** Lets each service do what its users do, for about {@code time}. */
  void exercise(Duration time) throws Exception {
    for (Running service : process.running().values()) {
      service.exercise(time);
    }
  }

  /** Keeps a further file in the state directory, even if the directory is emptied. */
  void keep(StateKeeper.Kept more) {
    process.keep(more);
  }

  /** Returns the lines to print for the user who started the fabric. */
  List<String> describe() {
    List<String> lines = new ArrayList<>();
    process.running().values().forEach(service -> lines.addAll(service.describe()));
    lines.add("HTTP     " + process.state().http() + "/weft");
    lines.add("Control  " + process.fabric().address() + "  (./weft join " + process.fabric().address()
        + (keys == null ? ")" : " --secret-file FILE)"));
    if (keys != null) {
      lines.add("Secret   " + plan.secret().file() + "  (copy it to the hosts that join, readable by you only)");
    }
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
    try {
      process.takeNoCommands();
      if (desk != null) {
        desk.close();
      }
    } finally {
      process.closeServices();
      members.forEach(member -> member.stop(STOP_PATIENCE_S));
      try {
        process.close();
      } finally {
        driver.close();
      }
    }
  }
}

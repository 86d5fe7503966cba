package dev.weft.fabric.subnet;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.Props;
import akka.actor.typed.SpawnProtocol;
import akka.actor.typed.javadsl.AskPattern;
import akka.cluster.Member;
import akka.cluster.MemberStatus;
import akka.cluster.typed.Cluster;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.cluster.ClusterConfig;
import dev.weft.fabric.cluster.MediaDriverProcess;
import dev.weft.fabric.cluster.MediaDriverSettings;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.link.DirectCable;
import dev.weft.fabric.subnet.FabricAgent.AddReply;
import dev.weft.fabric.subnet.FabricAgent.NodeAdded;
import dev.weft.fabric.subnet.FabricAgent.NodeRefused;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.switching.SwitchSettings;
import dev.weft.fabric.trunk.TrunkEndpoint;
import dev.weft.fabric.trunk.TrunkSettings;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A cluster JVM for tests: media driver, actor system, switch, agent. Reads commands from standard input, one a line, writes
 * what happens to standard output.
 */
final class FabricJvm {
  static final int LENGTH_MAX = 32_768;
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final ActorSystem<SpawnProtocol.Command> system;
  private final ActorRef<SwitchActor.Command> leaf;
  private final ActorRef<FabricAgent.Command> agent;
  private final ClusterDirectory directory = new ClusterDirectory();
  private final TrunkEndpoint endpoint;
  private final MediaDriverProcess driver;
  private final Map<String, ActorRef<HardwareMessage>> hcas = new HashMap<>();
  private final Map<String, Integer> ports = new HashMap<>();

  private FabricJvm(int port, int seedPort, Path driverDirectory) throws Exception {
    driver = MediaDriverProcess.startOrAttach(
        MediaDriverSettings.of(ConfigFactory.load()).withDirectory(driverDirectory));
    Config config = ClusterConfig.forJvm("127.0.0.1", port, List.of("127.0.0.1:" + seedPort), driver.directory(),
        List.of("fabric"));
    system = ActorSystem.create(SpawnProtocol.create(), ClusterConfig.SYSTEM_NAME, config);
    HardwareDispatcher hardware = HardwareDispatcher.of(system);
    SwitchSettings switchSettings = SwitchSettings.from(config);
    endpoint = TrunkEndpoint.open(TrunkSettings.of(config), driver.directory(), driver.driverId(),
        switchSettings.virtualLanes());
    hardware.addPoller(endpoint.receiver());
    DispatcherSelector onHardware = DispatcherSelector.fromConfig(HardwareDispatcher.CONFIG_PATH);
    leaf = spawn(SwitchActor.create(switchSettings, HardwareDispatcher.realContext(system), onHardware), "switch",
        onHardware);
    SubnetSettings subnet = SubnetSettings.of(config);
    directory.onNodeLost(name -> say("lost " + name));
    agent = spawn(FabricAgent.create(subnet, endpoint, leaf, directory,
        SubnetManagerActor.start(system, subnet), reason -> say("failed " + reason)), "agent", Props.empty());
    say("up " + ProcessHandle.current().pid() + " " + driver.pid());
  }

  private <T> ActorRef<T> spawn(akka.actor.typed.Behavior<T> behavior, String name, Props props) {
    return AskPattern.<SpawnProtocol.Command, ActorRef<T>>ask(system,
        replyTo -> new SpawnProtocol.Spawn<>(behavior, name, props, replyTo), PATIENCE, system.scheduler())
        .toCompletableFuture().join();
  }

  private static void say(String line) {
    System.out.println("> " + line);
  }

  private void node(String name) {
    DispatcherSelector onHardware = DispatcherSelector.fromConfig(HardwareDispatcher.CONFIG_PATH);
    ActorRef<HardwareMessage> hca = spawn(TestHca.create(FabricJvm::say), "hca-" + name, onHardware);
    SwitchActor.PortAttached attached = (SwitchActor.PortAttached) AskPattern
        .<SwitchActor.Command, SwitchActor.AttachReply>ask(leaf,
            replyTo -> new SwitchActor.AttachPort(name, 0, true, port -> new DirectCable(hca), replyTo), PATIENCE,
            system.scheduler()).toCompletableFuture().join();
    hca.tell(new TestHca.Plug(attached.port()));
    hcas.put(name, hca);
    ports.put(name, attached.portNumber());
    AddReply reply = AskPattern.<FabricAgent.Command, AddReply>ask(agent,
        replyTo -> new FabricAgent.AddNode(name, attached.portNumber(), hca, replyTo), PATIENCE, system.scheduler())
        .toCompletableFuture().join();
    switch (reply) {
      case NodeAdded added -> say("added " + added.name() + " " + added.lid());
      case NodeRefused refused -> say("refused " + refused.name() + " " + refused.reason());
    }
  }

  /** Members of the cluster that this JVM knows to be up: what the subnet manager shows all knows the manager alone. */
  private int up() {
    int count = 0;
    for (Member member : Cluster.get(system).state().getMembers()) {
      count += member.status() == MemberStatus.up() ? 1 : 0;
    }
    return count;
  }

  private int lid(String name) {
    return directory.lookup(name).orElseThrow().lid();
  }

  private void run() throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    String line;
    while ((line = in.readLine()) != null) {
      String[] words = line.split(" ");
      switch (words[0]) {
        case "node" -> node(words[1]);
        case "remove" -> agent.tell(new FabricAgent.RemoveNode(words[1]));
        case "stream" -> hcas.get(words[1]).tell(new TestHca.Stream(lid(words[2]), Integer.parseInt(words[3]),
            Integer.parseInt(words[4]), Integer.parseInt(words[5])));
        case "join" -> agent.tell(new FabricAgent.JoinGroup(words[2], ports.get(words[1]), words[3].equals("receive"),
            answer -> say("joined " + words[1] + " " + (answer.refusal() == null ? answer.lid() : answer.refusal()))));
        case "leave" -> agent.tell(new FabricAgent.LeaveGroup(words[2], ports.get(words[1]), true));
        case "cast" -> hcas.get(words[1]).tell(new TestHca.Stream(Integer.parseInt(words[2]), Integer.parseInt(words[3]),
            Integer.parseInt(words[4]), -1));
        case "groups" -> say("groups " + directory.view().groups().stream().map(g -> g.name() + "=" + g.lid() + g.receivers()).toList());
        case "ping" -> hcas.get(words[1]).tell(
            new TestHca.Ping(lid(words[2]), Integer.parseInt(words[3]), Integer.parseInt(words[4])));
        case "view" -> say("view " + directory.view().jvms().size() + " jvms "
            + directory.view().jvms().stream().filter(JvmEntry::reachable).count() + " reachable "
            + directory.nodes().stream().map(n -> n.name() + "=" + n.lid()).toList());
        case "members" -> say("members " + up());
        case "trunks" -> say("trunks " + AskPattern.<FabricAgent.Command, List<TrunkSnapshot>>ask(agent,
            FabricAgent.Inspect::new, PATIENCE, system.scheduler()).toCompletableFuture().join());
        case "quit" -> {
          quit();
          return;
        }
        default -> say("what is " + line);
      }
    }
  }

  private void quit() throws Exception {
    system.terminate();
    system.getWhenTerminated().toCompletableFuture().join();
    endpoint.close();
    driver.close();
    say("bye");
  }

  /** Arguments: own port, port of the seed, directory of the media driver. */
  public static void main(String[] arguments) throws Exception {
    try {
      new FabricJvm(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]), Path.of(arguments[2])).run();
      System.exit(0);
    } catch (Throwable e) {
      e.printStackTrace(System.out);
      System.exit(1);
    }
  }
}

package dev.weft.fabric.subnet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.Address;
import akka.actor.testkit.typed.javadsl.ActorTestKit;
import akka.actor.testkit.typed.javadsl.ManualTime;
import akka.actor.testkit.typed.javadsl.TestInbox;
import akka.actor.testkit.typed.javadsl.TestProbe;
import akka.actor.typed.ActorRef;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.Adapter;
import akka.cluster.ClusterEvent;
import akka.cluster.InternalClusterAction;
import akka.cluster.Member;
import akka.cluster.MemberStatus;
import akka.cluster.UniqueAddress;
import akka.cluster.typed.Cluster;
import akka.cluster.typed.GetCurrentState;
import akka.util.Version;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.NodeEntry;
import dev.weft.fabric.subnet.FabricAgent.Registered;
import dev.weft.fabric.subnet.FabricAgent.ViewChanged;
import dev.weft.fabric.subnet.SubnetManagerActor.RegisterJvm;
import dev.weft.fabric.subnet.SubnetMap.Seen;
import dev.weft.fabric.trunk.TrunkAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The protocol of the subnet manager, message by message. The agents of the JVMs are inboxes. What the cluster says of its members the test
 * publishes, as Akka's membership does, in an actor system that has joined nobody; the manager runs on the thread of whoever tells it
 * something, and time passes when the test says so.
 */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class SubnetManagerProtocolTest {
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final TrunkAddress TRUNKS = new TrunkAddress("driver", 1, "", 4096, 1024);
  private static final String ON_THIS_THREAD = "akka.test.calling-thread-dispatcher";

  private final ActorTestKit kit = ActorTestKit.create("weft", ManualTime.config().withFallback(ConfigFactory.parseString("""
      akka {
        loglevel = ERROR # Some of Akka's own actors would talk to the members.
        actor.provider = cluster
        remote.artery { transport = tcp, canonical { hostname = "127.0.0.1", port = 0 } }
        cluster.jmx.enabled = off
        coordinated-shutdown { run-by-actor-system-terminate = off, terminate-actor-system = off, run-by-jvm-shutdown-hook = off }
      }""")));
  private final ManualTime time = ManualTime.get(kit.system());
  private final List<Jvm> jvms = new ArrayList<>();
  private ActorRef<SubnetManagerActor.Command> manager;

  /** A member of the cluster, and its agent. */
  private final class Jvm {
    final TestInbox<FabricAgent.Command> agent = TestInbox.create("agent");
    final Member member;
    private final JvmEntry self;
    private int number;
    private FabricView view = FabricView.EMPTY;
    private long changes;
    private List<Advert> adverts = List.of();

    Jvm(int port, long incarnation) {
      Address address = new Address("akka", kit.system().name(), "127.0.0.1", port);
      member = new Member(new UniqueAddress(address, incarnation), port, MemberStatus.up(),
          CollectionConverters.asScala(Set.of("dc-default")).<String>toSet(), Version.Zero());
      self = new JvmEntry("127.0.0.1:" + port, incarnation, 0, TRUNKS, true);
      jvms.add(this);
    }

    String name() {
      return self.jvm();
    }

    /** Says all that it has, once more. */
    Jvm says(NodeClaim... nodes) {
      return says(List.of(nodes), List.of());
    }

    Jvm says(List<NodeClaim> nodes, List<GroupClaim> groups) {
      manager.tell(new RegisterJvm(self.with(number, true), nodes, groups, adverts, Seen.of(view), ++changes, agent.getRef()));
      return this;
    }

    /** Says what its services offer, and once more all its nodes. */
    Jvm offers(List<Advert> offered, NodeClaim... nodes) {
      adverts = offered;
      return says(nodes);
    }

    /** The next message is the answer to what it said last. */
    Registered answered() {
      Registered answer = assertInstanceOf(Registered.class, agent.receiveMessage());
      assertEquals(changes, answer.number());
      assertEquals(name(), answer.jvm().jvm());
      assertEquals(self.incarnation(), answer.jvm().incarnation());
      number = answer.jvm().number();
      return answer;
    }

    /** The next message is a view, the next version of what it has. */
    FabricView news() {
      view = assertInstanceOf(ViewChanged.class, agent.receiveMessage()).view();
      return view;
    }
  }

  /** The state of the cluster is kept by a subscriber too, which comes a little after the start. */
  @BeforeEach
  void awaitTheClustersState() {
    Cluster cluster = Cluster.get(kit.system());
    await(() -> {
      publish(new ClusterEvent.LeaderChanged(Option.apply(cluster.selfMember().address())));
      assertNotNull(cluster.state().getLeader());
    });
  }

  @AfterEach
  void stop() {
    try {
      silence();
    } finally {
      kit.shutdownTestKit();
    }
  }

  private void start() {
    SubnetSettings settings = new SubnetSettings(Duration.ofSeconds(2), Duration.ofMillis(250), GRACE, Duration.ofSeconds(60), 4, 1, 200);
    manager = kit.spawn(SubnetManagerActor.create(settings), "manager", DispatcherSelector.fromConfig(ON_THIS_THREAD));
    settle();
  }

  /** Comes back when the membership has done all that it was asked, and its subscribers have heard of it. */
  private void settle() {
    TestProbe<ClusterEvent.CurrentClusterState> probe = kit.createTestProbe();
    Cluster.get(kit.system()).subscriptions().tell(new GetCurrentState(probe.getRef()));
    probe.receiveMessage();
  }

  private void cluster(ClusterEvent.ClusterDomainEvent event) {
    publish(event);
    settle();
  }

  /** The same, and waits until who asks for the state of the cluster sees it. */
  private void cluster(ClusterEvent.ClusterDomainEvent event, Predicate<ClusterEvent.CurrentClusterState> seen) {
    cluster(event);
    await(() -> assertTrue(seen.test(Cluster.get(kit.system()).state())));
  }

  private void publish(ClusterEvent.ClusterDomainEvent event) {
    Adapter.toClassic(kit.system()).actorSelection("/system/cluster/core/publisher")
        .tell(new InternalClusterAction.PublishEvent(event), akka.actor.ActorRef.noSender());
  }

  private void await(Runnable assertion) {
    kit.createTestProbe().awaitAssert(() -> {
      assertion.run();
      return null;
    });
  }

  private Jvm up(int port, long incarnation) {
    Jvm jvm = new Jvm(port, incarnation);
    cluster(new ClusterEvent.MemberUp(jvm.member), state -> contains(state.getMembers(), jvm.member.status(), jvm));
    return jvm;
  }

  private static boolean contains(Iterable<Member> members, MemberStatus status, Jvm jvm) {
    for (Member member : members) {
      if (member.uniqueAddress().equals(jvm.member.uniqueAddress()) && member.status() == status) {
        return true;
      }
    }
    return false;
  }

  private void removed(Jvm jvm) {
    cluster(new ClusterEvent.MemberRemoved(jvm.member.copy(MemberStatus.down()).copy(MemberStatus.removed()), MemberStatus.down()));
  }

  private void downed(Jvm jvm) {
    cluster(new ClusterEvent.MemberDowned(jvm.member.copy(MemberStatus.down())));
  }

  /** A manager that has taken over, and a JVM with these nodes that knows its view. */
  private Jvm alone(NodeClaim... nodes) {
    Jvm jvm = up(1001, 11);
    start();
    jvm.says(nodes).answered();
    jvm.news();
    return jvm;
  }

  /** One more JVM, which all know of. */
  private Jvm joins(int port, NodeClaim... nodes) {
    Jvm jvm = up(port, port);
    jvm.says(nodes).answered();
    jvms.forEach(Jvm::news);
    return jvm;
  }

  private void silence() {
    jvms.forEach(jvm -> assertFalse(jvm.agent.hasMessages(), () -> jvm.name() + " was told " + jvm.agent.getAllReceived()));
  }

  private static NodeClaim claim(String name, int lid) {
    return new NodeClaim(name, lid, null);
  }

  private static List<String> nodes(List<NodeEntry> entries) {
    return entries.stream().map(node -> node.name() + "=" + node.lid()).toList();
  }

  private static List<String> jvms(FabricView view) {
    return view.jvms().stream().map(jvm -> jvm.number() + "=" + jvm.jvm() + (jvm.reachable() ? "" : " unreachable")).toList();
  }

  // ---- taking over

  @Test
  void shouldWaitForAllMembersAndThenAnswerEachOnceAndPublishOneView() {
    Jvm one = up(1001, 11);
    Jvm two = up(1002, 22);
    start();
    one.says(claim("a", 0));
    one.says(claim("a", 0)); // It repeats itself, as nobody answers.
    silence();
    two.says(claim("b", 0));
    assertEquals(List.of("a=1"), nodes(one.answered().accepted()));
    assertEquals(List.of("b=2"), nodes(two.answered().accepted()));
    assertEquals(List.of("1=127.0.0.1:1001", "2=127.0.0.1:1002"), jvms(one.news()));
    assertEquals(List.of("a=1", "b=2"), nodes(one.view.nodes()));
    assertEquals(1, one.view.version());
    assertEquals(one.view, two.news());
  }

  @Test
  void shouldWaitNoLongerThanTheGrace() {
    Jvm one = up(1001, 11);
    Jvm late = up(1002, 22);
    start();
    one.says();
    time.timePasses(GRACE.minusMillis(1));
    silence();
    time.timePasses(Duration.ofMillis(1));
    one.answered();
    assertEquals(1, one.news().jvms().size());
    late.says().answered();
    assertEquals(2, late.news().jvms().size());
    assertEquals(late.view, one.news());
  }

  @Test
  void shouldNotWaitForAMemberThatIsRemovedMeanwhileAndForgetWhatItSaid() {
    Jvm one = up(1001, 11);
    Jvm two = up(1002, 22);
    Jvm three = up(1003, 33);
    start();
    two.says(claim("b", 0));
    one.says(claim("a", 0));
    removed(two);
    silence();
    removed(three);
    one.answered();
    assertEquals(List.of("1=127.0.0.1:1001"), jvms(one.news()));
    assertEquals(List.of("a=1"), nodes(one.view.nodes()));
  }

  @Test
  void shouldLetThoseWhoWereThereLongestKeepWhatTheyHave() {
    Jvm newcomer = up(1001, 11);
    Jvm old = up(1002, 22);
    start();
    old.number = 5;
    old.view = new FabricView(41, List.of(), List.of(), List.of(), List.of());
    newcomer.says(claim("a", 0), claim("b", 0));
    old.says(claim("a", 7));
    assertEquals(List.of("a=7"), nodes(old.answered().accepted()));
    assertEquals(5, old.number);
    Registered answer = newcomer.answered();
    assertEquals(List.of("b=1"), nodes(answer.accepted()));
    assertEquals(List.of(new NodeRefusal("a", "the name \"a\" belongs to a node of JVM 127.0.0.1:1002; choose another")), answer.refused());
    assertEquals(42, old.news().version(), "later than what any agent has seen");
    assertEquals(old.view, newcomer.news());
  }

  @Test
  void shouldPublishThatAMemberWasUnreachableAlreadyWhenItTookOver() {
    Jvm one = up(1001, 11);
    Jvm two = up(1002, 22);
    cluster(new ClusterEvent.UnreachableMember(two.member), state -> state.getUnreachable().contains(two.member));
    start();
    two.says();
    one.says();
    two.answered();
    one.answered();
    assertEquals(List.of("1=127.0.0.1:1002 unreachable", "2=127.0.0.1:1001"), jvms(one.news()));
    assertEquals(one.view, two.news());
  }

  // ---- registrations

  @Test
  void shouldAnswerARepeatedRegistrationAndPublishNothingWhereNothingHasChanged() {
    Jvm one = alone(claim("a", 0));
    Jvm two = joins(1002, claim("b", 0));
    one.says(claim("a", 1)).answered();
    silence();
    FabricView lost = two.view;
    two.view = FabricView.EMPTY; // It was told, but what it was told was lost.
    two.says(claim("b", 2)).answered();
    assertEquals(lost, two.news());
  }

  @Test
  void shouldForgetAJvmThatIsDownedWithoutWaitingForItsRemoval() {
    Jvm one = alone(claim("a", 0));
    Jvm two = joins(1002, claim("b", 0));
    downed(two);
    assertEquals(List.of("1=127.0.0.1:1001"), jvms(one.news()));
    assertEquals(List.of("a=1"), nodes(one.view.nodes()));
    two.says(claim("b", 2)); // It was on its way.
    removed(two);
    silence();
  }

  @Test
  void shouldTellAllOfNodesThatComeAndGo() {
    Jvm one = alone(claim("a", 0));
    Jvm two = joins(1002);
    assertEquals(List.of("c=2", "b=3"), nodes(two.says(claim("c", 0), claim("b", 0)).answered().accepted()));
    assertEquals(List.of("a=1", "c=2", "b=3"), nodes(two.news().nodes()));
    assertEquals(two.view, one.news());
    assertEquals(3, two.view.version());
    two.says(claim("b", 3)).answered();
    assertEquals(List.of("a=1", "b=3"), nodes(two.news().nodes()));
    assertEquals(two.view, one.news());
    assertEquals(4, two.view.version());
  }

  @Test
  void shouldSayWhatItRefusesAndWhy() {
    Jvm one = alone(claim("a", 0));
    Jvm two = up(1002, 22);
    two.says(List.of(claim("b", 1), claim("", 0), claim("c", 0)), List.of(new GroupClaim("g", 0, true), new GroupClaim("h", 0, true)));
    Registered answer = two.answered();
    assertEquals(List.of("c=2"), nodes(answer.accepted()));
    assertEquals(List.of(new NodeRefusal("b", "LID 1 belongs to node \"a\" of JVM 127.0.0.1:1001"),
        new NodeRefusal("", "a node name has 1 to 64 characters, this one has 0")), answer.refused());
    assertEquals(List.of(new NodeRefusal("h", "the fabric has 1 multicast groups, as many as weft.fabric.subnet.groups-max allows")),
        answer.refusedGroups());
    assertEquals(List.of(new GroupEntry("g", 0xc001, List.of(2))), two.news().groups());
    assertEquals(two.view, one.news());
  }

  @Test
  void shouldNotAnswerWhoIsNotAMember() {
    Jvm one = alone(claim("a", 0));
    new Jvm(1002, 22).says(claim("b", 0));
    new Jvm(1001, 12).says(claim("b", 0)); // Another incarnation.
    Jvm down = up(1003, 33);
    cluster(new ClusterEvent.MemberDowned(down.member.copy(MemberStatus.down())),
        state -> contains(state.getMembers(), MemberStatus.down(), down));
    down.says(claim("b", 0));
    silence();
    assertEquals(List.of(), one.says(claim("a", 1)).answered().refused());
    silence();
  }

  // ---- what the cluster says

  @Test
  void shouldTellTheOthersThatAJvmIsGoneWithAllThatItHad() {
    Jvm one = alone(claim("a", 0));
    Jvm two = up(1002, 22);
    two.says(List.of(claim("b", 0)), List.of(new GroupClaim("g", 0, true))).answered();
    jvms.forEach(Jvm::news);
    removed(two);
    assertEquals(List.of("1=127.0.0.1:1001"), jvms(one.news()));
    assertEquals(List.of("a=1"), nodes(one.view.nodes()));
    assertEquals(List.of(), one.view.groups());
    removed(two);
    silence();
  }

  @Test
  void shouldTellAllOnceThatAJvmIsUnreachableAndReachableAgain() {
    Jvm one = alone();
    Jvm two = joins(1002);
    cluster(new ClusterEvent.UnreachableMember(two.member));
    assertEquals(List.of("1=127.0.0.1:1001", "2=127.0.0.1:1002 unreachable"), jvms(one.news()));
    assertEquals(one.view, two.news());
    cluster(new ClusterEvent.UnreachableMember(two.member));
    silence();
    cluster(new ClusterEvent.ReachableMember(two.member));
    assertEquals(List.of("1=127.0.0.1:1001", "2=127.0.0.1:1002"), jvms(one.news()));
    assertEquals(one.view, two.news());
  }

  @Test
  void shouldKeepAJvmThatWasStartedAgainWhenTheFormerOneIsRemoved() {
    Jvm one = alone();
    Jvm former = joins(1002, claim("b", 0));
    Jvm again = up(1002, 23);
    assertEquals(List.of("b=2"), nodes(again.says(claim("b", 0)).answered().accepted()));
    assertEquals(List.of("1=127.0.0.1:1001", "3=127.0.0.1:1002"), jvms(again.news()));
    assertEquals(again.view, one.news());
    removed(former);
    cluster(new ClusterEvent.UnreachableMember(former.member));
    silence();
  }

  // ---- adverts

  @Test
  void shouldTellAllWhatServicesOfferAndThatTheyOfferItNoMore() {
    Jvm one = alone(claim("a", 0));
    Jvm two = joins(1002, claim("b", 0));
    Advert capacity = Advert.of("a", "disk", Map.of("capacity", "4096"));
    assertEquals(List.of(), one.offers(List.of(capacity), claim("a", 1)).answered().refusedAdverts());
    assertEquals(List.of(capacity), one.news().adverts());
    assertEquals(one.view, two.news());
    one.offers(List.of(capacity), claim("a", 1)).answered(); // Repeats itself: nothing is new.
    silence();
    one.offers(List.of(), claim("a", 1)).answered();
    assertEquals(List.of(), two.news().adverts());
    one.news();
  }

  @Test
  void shouldForgetWhatWasOfferedInAJvmThatIsRemoved() {
    Jvm one = alone(claim("a", 0));
    Jvm two = joins(1002, claim("b", 0));
    two.offers(List.of(Advert.of("b", "disk", Map.of())), claim("b", 2)).answered();
    assertEquals(1, one.news().adverts().size());
    two.news();
    removed(two);
    assertEquals(List.of(), one.news().adverts());
  }

  @Test
  void shouldRefuseAdvertsOfNodesThatAreNotThereAndThoseThatDoNotFit() {
    Jvm one = alone(claim("a", 0));
    Advert elsewhere = Advert.of("x", "disk", Map.of());
    Advert large = Advert.of("a", "large", Map.of("text", "x".repeat(128), "more", "y".repeat(128)));
    Advert small = Advert.of("a", "small", Map.of("k", "v"));
    Registered answer = one.offers(List.of(elsewhere, large, small), claim("a", 1)).answered();
    assertEquals(List.of("x disk", "a large"), answer.refusedAdverts().stream().map(r -> r.node() + " " + r.service()).toList());
    assertEquals("its JVM has no node \"x\" on the fabric", answer.refusedAdverts().getFirst().reason());
    assertTrue(answer.refusedAdverts().getLast().reason().contains("200 are left of the 200"), answer.refusedAdverts().getLast().reason());
    assertEquals(List.of(small), one.news().adverts());
  }
}

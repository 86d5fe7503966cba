package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.TestInbox;
import akka.actor.typed.ActorRef;
import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.access.Announcements;
import dev.weft.dsm.access.CheckedAccess;
import dev.weft.dsm.objects.DsmParts;
import dev.weft.dsm.objects.Ended;
import dev.weft.dsm.objects.NodeCommand;
import dev.weft.dsm.objects.Wait;
import dev.weft.dsm.objects.WaitStrategy;
import dev.weft.dsm.report.DsmSnapshot;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import dev.weft.dsm.wire.ObjectSpec.Kind;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.RoleContext;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * A space of three: node 0 is a real actor, nodes 1 and 2 are scripted and speak to it by real queue pairs, in virtual time. All know the array
 * "words": node n is the home of minipage n, which is one word, and the actor has the right to write minipage 0.
 */
final class ActorSpace implements AutoCloseable {
  static final int MEMORY = 1 << 16;
  /** One way. */
  static final long LINK_NS = 1_000;
  private static final DsmSettings SETTINGS = new DsmSettings(RoleContext.ISR, MEMORY, 1000, 8, 0, false, true, 16, 1_000_000_000L);
  private static final WaitStrategy NOBODY_WAITS = new WaitStrategy() {
    @Override
    public boolean await(BooleanSupplier until, long maxNs) {
      throw new UnsupportedOperationException("there are no threads");
    }

    @Override
    public void changed() {}
  };

  private final VirtualFabric fabric = new VirtualFabric(1, new LinkProfile(LINK_NS, 10_000_000_000L), LinkFaults.NONE, ConfigFactory.empty());
  private final DsmParts parts;
  private final ActorRef<NodeCommand> actor;
  final ScriptedMember one;
  final ScriptedMember two;

  ActorSpace() {
    Node node = fabric.addNode("host");
    parts = parts(node);
    actor = node.spawnRole(DsmNodeActor.create(parts), "dsm-test", RoleContext.ISR);
    one = joins("one");
    two = joins("two");
    define(Kind.LONGS, "words", 3, new ObjectSpec(1, Kind.LONGS, "words", 3, 8, 0, 0, 0b111));
  }

  /** What an actor of the first node has that serves no threads. */
  static DsmParts parts(Node node) {
    ProtectionDomain pd = node.hca().allocPd();
    MemorySegment frames = node.hca().allocMemory(Arena.ofAuto(), MEMORY);
    MemoryRegion region = node.hca().regMr(pd, frames, Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ);
    Announcements announcements = new Announcements(8);
    return new DsmParts(node, "test", "host", SETTINGS, pd, frames, region, announcements, new CheckedAccess(announcements, true),
        new ConcurrentHashMap<>(), new Ended(), new AtomicBoolean(), NOBODY_WAITS);
  }

  /** A node is killed: the fabric has lost it, too. */
  void kills(String name) {
    fabric.closeNode(name);
    run();
  }

  /** Null while the actor is a member. */
  String whyEnded() {
    return parts.ended().why();
  }

  private ScriptedMember joins(String name) {
    ScriptedMember member = new ScriptedMember(fabric, name, MEMORY);
    member.connect("host", member.hello(-1, MEMORY));
    assertEquals(new DsmMessage.MembersEnd(0).toString(), member.heard().getLast());
    member.says(new DsmMessage.Joined());
    run();
    return member;
  }

  /** All nodes know an object from now on; which is expected to be {@code spec}. */
  void define(Kind kind, String name, long length, ObjectSpec spec) {
    Wait.OfObject wanted = wants(new Wait.OfObject(ObjectSpec.wanted(kind, name, length, kind.isArray() ? SharingUnit.bytes(8) : null), 0));
    one.hears(new DsmMessage.Defined(spec));
    two.hears(new DsmMessage.Defined(spec));
    one.says(new DsmMessage.DefinedAck(spec.id()));
    two.says(new DsmMessage.DefinedAck(spec.id()));
    nothingIsSaid();
    shouldBeServed(wanted);
  }

  /** A thread of the actor's node wants something. */
  <W extends Wait> W wants(W wait) {
    tell(wait);
    return wait;
  }

  void tell(NodeCommand command) {
    actor.tell(command);
    run();
  }

  /** All that was said has its effect. */
  void run() {
    run(1_000_000);
  }

  void run(long ns) {
    fabric.system().runFor(ns);
  }

  void nothingIsSaid() {
    one.hears(new String[0]);
    two.hears(new String[0]);
  }

  static void shouldBeServed(Wait wait) {
    assertTrue(wait.isOver());
    assertDoesNotThrow(wait::check);
  }

  static void shouldWait(Wait wait) {
    assertFalse(wait.isOver());
  }

  byte rights(int minipage) {
    return parts.access().rights(minipage);
  }

  /** A thread of the actor's node takes a lock that is there, without a word to anybody; or gives it back so. */
  boolean takes(int lock) {
    return parts.words().get(lock).tryTake();
  }

  boolean givesBack(int lock) {
    return parts.words().get(lock).tryRelease();
  }

  boolean holderWasLost(int lock) {
    return parts.words().get(lock).takeHolderLost();
  }

  long word(int index) {
    return parts.frames().get(ValueLayout.JAVA_LONG, index * 8L);
  }

  void writesHere(int index, long value) {
    parts.frames().set(ValueLayout.JAVA_LONG, index * 8L, value);
  }

  DsmSnapshot inspected() {
    TestInbox<DsmSnapshot> inbox = TestInbox.create();
    actor.tell(new NodeCommand.Inspect(inbox.getRef()));
    run();
    return inbox.receiveMessage();
  }

  @Override
  public void close() {
    fabric.close();
  }
}

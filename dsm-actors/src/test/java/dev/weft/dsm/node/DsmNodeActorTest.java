package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorRef;
import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.objects.DsmParts;
import dev.weft.dsm.objects.Fault;
import dev.weft.dsm.objects.NodeCommand;
import dev.weft.dsm.objects.Wait;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.RoleContext;
import dev.weft.hca.node.VirtualFabric;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A node's actor message by message: it is the first node, number 0, and the other ones are scripted. Of the array "words" minipage 0 has its home
 * here and minipage 1 at the scripted node 1.
 */
@Tag("simulation")
class DsmNodeActorTest {
  private static final int MEMORY = ActorSpace.MEMORY;

  private VirtualFabric fabric;
  private DsmParts parts;
  private ActorRef<NodeCommand> actor;
  private ScriptedMember member;

  @BeforeEach
  void start() {
    fabric = new VirtualFabric(1, new LinkProfile(1_000, 10_000_000_000L), LinkFaults.NONE, ConfigFactory.empty());
    Node node = fabric.addNode("host");
    parts = ActorSpace.parts(node);
    actor = node.spawnRole(DsmNodeActor.create(parts), "dsm-test", RoleContext.ISR);
    member = new ScriptedMember(fabric, "other", MEMORY);
  }

  @AfterEach
  void allIsSaid() {
    member.hears(new String[0]);
    fabric.close();
  }

  private <W extends Wait> W wants(W wait) {
    actor.tell(wait);
    fabric.system().runFor(1_000_000);
    return wait;
  }

  private static void shouldBeServed(Wait wait) {
    assertTrue(wait.isOver());
    assertDoesNotThrow(wait::check);
  }

  private void joins() {
    member.connect("host", member.hello(-1, MEMORY));
    member.hears("is node 1", new DsmMessage.MembersEnd(0).toString());
    member.says(new DsmMessage.Joined());
    member.hears(new String[0]);
  }

  /** The member joins, and both know the array. */
  private void joinsAndShares() {
    joins();
    Wait.OfObject words = wants(new Wait.OfObject(ObjectSpec.wanted(ObjectSpec.Kind.LONGS, "words", 2, SharingUnit.bytes(8)), 0));
    assertFalse(words.isOver(), "not all nodes know it");
    member.hears(new DsmMessage.Defined(new ObjectSpec(1, ObjectSpec.Kind.LONGS, "words", 2, 8, 0, 0, 0b11)));
    member.says(new DsmMessage.DefinedAck(1));
    member.hears(new String[0]);
    shouldBeServed(words);
    assertEquals(Rights.WRITE, parts.access().rights(0));
    assertEquals(Rights.NONE, parts.access().rights(1));
  }

  private long word(int index) {
    return parts.frames().get(ValueLayout.JAVA_LONG, index * 8L);
  }

  private void writesHere(int index, long value) {
    parts.frames().set(ValueLayout.JAVA_LONG, index * 8L, value);
  }

  /** The actor lives, has lost the member, and others may come. */
  private void shouldGoOnWithoutTheMember() {
    shouldBeServed(wants(new Fault(0, Rights.WRITE)));
    Fault lost = wants(new Fault(1, Rights.READ));
    assertTrue(lost.isOver());
    assertThrows(NodeLostException.class, lost::check);
    ScriptedMember next = new ScriptedMember(fabric, "next", MEMORY);
    next.connect("host", next.hello(-1, MEMORY));
    assertEquals("is node 2", next.heard().getFirst());
  }

  @Test
  void shouldWriteTheDataBeforeItTellsOfIt() {
    joinsAndShares();
    writesHere(0, 42);
    member.says(new DsmMessage.ReadRequest(0));
    member.hears(new DsmMessage.Data(0, 1, false));
    assertEquals(42, member.word(0));
    assertEquals(Rights.READ, parts.access().rights(0));
    member.says(new DsmMessage.Confirm(0, 1));
  }

  @Test
  void shouldServeTheNextOneWhenTheFirstIsConfirmed() {
    joinsAndShares();
    member.says(new DsmMessage.ReadRequest(0));
    member.hears(new DsmMessage.Data(0, 1, false));
    Fault writes = wants(new Fault(0, Rights.WRITE));
    member.hears(new DsmMessage[0]);
    member.says(new DsmMessage.Confirm(0, 1));
    member.hears(new DsmMessage.Invalidate(0, 2));
    assertFalse(writes.isOver());
    member.says(new DsmMessage.Invalidated(0, 2));
    member.hears(new DsmMessage[0]);
    shouldBeServed(writes);
    assertEquals(Rights.WRITE, parts.access().rights(0));
  }

  @Test
  void shouldDropAnswersThatAreLateOrRepeated() {
    joinsAndShares();
    member.says(new DsmMessage.ReadRequest(0));
    member.hears(new DsmMessage.Data(0, 1, false));
    member.says(new DsmMessage.Confirm(0, 1));
    member.says(new DsmMessage.Confirm(0, 1));
    Fault writes = wants(new Fault(0, Rights.WRITE));
    member.hears(new DsmMessage.Invalidate(0, 2));
    member.says(new DsmMessage.Confirm(0, 1));
    member.says(new DsmMessage.Invalidated(0, 1));
    member.hears(new DsmMessage[0]);
    assertFalse(writes.isOver());
    member.says(new DsmMessage.Invalidated(0, 2));
    member.says(new DsmMessage.Invalidated(0, 2));
    member.hears(new DsmMessage[0]);
    shouldBeServed(writes);
  }

  @Test
  void shouldAnswerAnInvalidateThatCrossesItsWriteRequest() {
    joinsAndShares();
    Fault reads = wants(new Fault(1, Rights.READ));
    member.hears(new DsmMessage.ReadRequest(1));
    member.writes(8, 7);
    member.says(new DsmMessage.Data(1, 1, false));
    member.hears(new DsmMessage.Confirm(1, 1));
    shouldBeServed(reads);
    assertEquals(7, word(1));
    member.says(new DsmMessage.Invalidate(1, 2)); // It is on its way when the thread faults.
    Fault writes = new Fault(1, Rights.WRITE);
    actor.tell(writes);
    member.hears(new DsmMessage.WriteRequest(1), new DsmMessage.Invalidated(1, 2));
    assertFalse(writes.isOver());
    assertEquals(Rights.NONE, parts.access().rights(1));
    member.writes(8, 9);
    member.says(new DsmMessage.Data(1, 3, true));
    member.hears(new DsmMessage.Confirm(1, 3));
    shouldBeServed(writes);
    assertEquals(9, word(1));
    assertEquals(Rights.WRITE, parts.access().rights(1));
  }

  @Test
  void shouldKeepThePlaceOfAFreedArrayUntilNobodyTouchesIt() {
    joinsAndShares();
    Wait.OfObject free = wants(new Wait.OfObject(null, 1));
    member.hears(new DsmMessage.Freed(1, 0b11), new DsmMessage.NothingMore(1));
    member.writes(8, 7); // It has not heard of it yet.
    member.says(new DsmMessage.Data(1, 1, true));
    member.hears(new DsmMessage[0]);
    assertEquals(7, word(1));
    member.says(new DsmMessage.DefinedAck(1));
    member.hears(new DsmMessage[0]);
    assertFalse(free.isOver(), "this node may get more of it");
    member.says(new DsmMessage.NothingMore(1));
    member.hears(new DsmMessage[0]);
    shouldBeServed(free);
    assertEquals(0, word(1));
  }

  @Test
  void shouldGiveThePlaceOfAFreedArrayBackWhenWhoMayTouchItIsLost() {
    joinsAndShares();
    Wait.OfObject free = wants(new Wait.OfObject(null, 1));
    member.hears(new DsmMessage.Freed(1, 0b11), new DsmMessage.NothingMore(1));
    member.says(new DsmMessage.Leaving());
    member.hears("disconnected");
    shouldBeServed(free);
  }

  @Test
  void shouldDropAPeerThatSendsWhatIsNoMessage() {
    joinsAndShares();
    member.says((byte) 99, (byte) 1, (byte) 2, (byte) 3, (byte) 4);
    member.hears("disconnected");
    shouldGoOnWithoutTheMember();
  }

  @Test
  void shouldDropAPeerThatCutsAMessageShort() {
    joinsAndShares();
    member.says((byte) 1, (byte) 0);
    member.hears("disconnected");
    shouldGoOnWithoutTheMember();
  }

  @Test
  void shouldDropAPeerThatAsksOfWhatIsNotHere() {
    joinsAndShares();
    member.says(new DsmMessage.LockRequest(77));
    member.hears("disconnected");
    shouldGoOnWithoutTheMember();
  }

  @ParameterizedTest
  @MethodSource("ordersOfAnothersHome")
  void shouldDropAPeerThatOrdersWhatOnlyAHomeMay(DsmMessage order) {
    joinsAndShares();
    assertEquals(0, refused());
    member.says(order);
    member.hears("disconnected");
    assertEquals(1, refused());
    assertEquals(Rights.WRITE, parts.access().rights(0), "the home of minipage 0 is here");
    shouldGoOnWithoutTheMember();
  }

  static List<DsmMessage> ordersOfAnothersHome() {
    return List.of(new DsmMessage.ForwardRead(0, 1, 1), new DsmMessage.ForwardWrite(0, 1, 1), new DsmMessage.Invalidate(0, 1),
        new DsmMessage.Grant(0, 1, true));
  }

  private long refused() {
    return wants(new Wait.OfSnapshot()).snapshot.messagesRefused();
  }

  @Test
  void shouldCountWhatIsNoMessage() {
    joinsAndShares();
    member.says((byte) 99);
    member.hears("disconnected");
    assertEquals(1, refused());
    shouldGoOnWithoutTheMember();
  }

  @Test
  void shouldGoOnWhenAMemberLeaves() {
    joinsAndShares();
    Fault waits = wants(new Fault(1, Rights.READ));
    member.hears(new DsmMessage.ReadRequest(1));
    member.says(new DsmMessage.Leaving());
    member.hears("disconnected");
    assertThrows(NodeLostException.class, waits::check);
    shouldGoOnWithoutTheMember();
  }

  @Test
  void shouldRefuseAnotherSizeOfMemory() {
    member.connect("host", member.hello(-1, MEMORY * 2));
    member.hears("refused: weft.dsm.memory is 131072 there and 65536 here; must be the same");
  }

  @Test
  void shouldRefuseWhatIsNoGreeting() {
    member.connect("host", new byte[] {1, 2, 3});
    member.hears("refused: the greeting of the joining node is of another version of Weft");
  }

  @Test
  void shouldRefuseANumberThatAnotherNodeHas() {
    joins();
    ScriptedMember second = new ScriptedMember(fabric, "second", MEMORY);
    second.connect("host", second.hello(1, MEMORY));
    second.hears("refused: there is a node 1 already");
    ScriptedMember third = new ScriptedMember(fabric, "third", MEMORY);
    third.connect("host", third.hello(64, MEMORY));
    third.hears("refused: there cannot be a node 64");
  }

  @Test
  void shouldRefuseASecondFirstNode() {
    member.connect("host", member.hello(0, MEMORY));
    member.hears("refused: there is a node 0 already");
  }

  @Test
  void shouldDropAPeerThatGrantsALockThatIsNotThere() {
    joinsAndShares();
    member.says(new DsmMessage.LockGrant(77, false, false));
    member.hears("disconnected");
    shouldGoOnWithoutTheMember();
  }

  @Test
  void shouldDropAPeerThatDefinesAnArrayThatCannotBe() {
    joinsAndShares();
    member.says(new DsmMessage.Defined(new ObjectSpec(2, ObjectSpec.Kind.LONGS, "bad", 2, 0, 0, 0, 0b11)));
    member.hears("disconnected");
    shouldGoOnWithoutTheMember();
  }
}

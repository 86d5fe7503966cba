package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.access.AccessCosts;
import dev.weft.dsm.access.Announcements;
import dev.weft.dsm.access.CheckedAccess;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.access.RightsWaiter;
import dev.weft.dsm.direct.DirectTables;
import dev.weft.dsm.direct.DirectoryEntry;
import dev.weft.dsm.direct.LocalNode;
import dev.weft.dsm.direct.RemoteVerbs;
import dev.weft.dsm.direct.SynchronousCore;
import dev.weft.dsm.member.DirectHomes;
import dev.weft.dsm.member.MinipageMap;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a home of the synchronous engine tells nodes that leave, and how it closes before it leaves; entries are in registered memory, verbs unanswered. */
@Tag("actor")
@Timeout(180)
class DirectHomesTest {
  private static final int MINIPAGE = 0;
  private static final long STAYS = 0b0001;
  private static final long LEAVE = 0b1100;
  private static final long OTHER = 0b0010;
  private static final ObjectSpec WORDS = new ObjectSpec(1, ObjectSpec.Kind.LONGS, "words", 10, 80, 0, MINIPAGE, STAYS);
  /** Of minipages 1 to 4 the last two are node 1's. */
  private static final ObjectSpec ROWS = new ObjectSpec(2, ObjectSpec.Kind.LONGS, "rows", 4, 8, 80, 1, STAYS | OTHER);
  private static final long LOCKED_BY_OTHER = DirectoryEntry.lock(1, Rights.WRITE);

  /** What is said to a node. */
  private record Said(int node, DsmMessage message) {}

  /** A node with nothing, whose faults never end. */
  private static final class Silent implements LocalNode, RemoteVerbs {
    @Override
    public byte rights(int minipage) {
      return 0;
    }

    @Override
    public void grant(int minipage, byte rights, boolean isServed) {}

    @Override
    public int homeOf(int minipage) {
      return 0;
    }

    @Override
    public String nameOf(int minipage) {
      return "minipage " + minipage;
    }

    @Override
    public void lock(int home, int minipage, long lock) {}

    @Override
    public void unlock(int home, int minipage, long owner, long copies) {}

    @Override
    public void revoke(int node, int minipage, long expected, byte rights) {}

    @Override
    public void look(int node, int minipage, byte rights) {}

    @Override
    public void fetch(int node, int minipage) {}
  }

  /** A thread that wants to read. */
  private static final class Waiting implements RightsWaiter {
    @Override
    public byte rights() {
      return Rights.READ;
    }

    @Override
    public void served() {}

    @Override
    public void lost(String why) {}

    @Override
    public void refused(String why) {}
  }

  private final Set<Said> said = new HashSet<>();
  private LocalFabric fabric;
  private DirectTables tables;
  private DirectHomes homes;
  private SynchronousCore core;
  private long lost;

  @BeforeEach
  void start() {
    fabric = LocalFabric.start(ConfigFactory.parseString("weft.dsm.memory = 1 MiB\nweft.dsm.minipages-max = 16\nweft.hca.pin-memory = false"));
    Node node = fabric.addNode("host-0");
    tables = new DirectTables(node, node.hca().allocPd(), DsmSettings.from(fabric.config()));
    CheckedAccess access = new CheckedAccess(new Announcements(1), true, AccessCosts.NONE, tables::tableOf);
    Silent silent = new Silent();
    core = new SynchronousCore(0, silent, silent, 0);
    homes = new DirectHomes(0, tables, new MinipageMap(access, () -> LEAVE), (to, message) -> said.add(new Said(to, message)),
        core, () -> lost, () -> LEAVE | lost);
    access.add(WORDS);
    homes.add(WORDS);
    access.add(ROWS);
    homes.add(ROWS);
  }

  @AfterEach
  void close() {
    fabric.close();
  }

  /** Nodes 2 and 3 have the only copies, and leave. */
  private void evacuate() {
    tables.unlock(MINIPAGE, DirectoryEntry.owner(2, false), LEAVE);
    for (int leaving = 2; leaving < 4; leaving++) {
      homes.onEvacuate(new DsmMessage.Evacuate(MINIPAGE, 1, 1), leaving);
    }
  }

  private static Said safe(int node) {
    return new Said(node, new DsmMessage.Safe(MINIPAGE, 1));
  }

  @Test
  void shouldAnswerEachOfTwoThatLeaveInTheSameRound() {
    evacuate();
    assertEquals(Set.of(), said, "only the two that leave have it");
    tables.unlock(MINIPAGE, DirectoryEntry.owner(2, false), LEAVE | STAYS);
    homes.look();
    assertEquals(Set.of(safe(2), safe(3)), said);
    said.clear();
    homes.look();
    assertEquals(Set.of(), said, "each is told once");
  }

  @Test
  void shouldKeepTheRequestOfOneThatLeavesWhenAnotherIsLost() {
    evacuate();
    lost = 0b0100;
    homes.look();
    said.remove(safe(2)); // Nothing reaches a lost node.
    assertEquals(Set.of(), said, "the other one still has the only copy");
    tables.unlock(MINIPAGE, DirectoryEntry.owner(3, false), LEAVE | STAYS);
    homes.look();
    assertEquals(Set.of(safe(3)), said);
  }

  /** Who has locked an entry may wait for a thread that is inside, and that for the next minipage. */
  @Test
  void shouldCloseNoEntryBeforeAllBeforeItInTheArrayAreFree() {
    assertEquals(DirectoryEntry.FREE, tables.lock(1, LOCKED_BY_OTHER));
    homes.close("it leaves");
    assertFalse(homes.isClosed());
    assertTrue(tables.isFree(2), "that thread comes on");
    tables.unlock(1, DirectoryEntry.owner(1, true), OTHER);
    assertTrue(homes.isClosed());
    assertTrue(tables.isClosed(1) && tables.isClosed(2));
  }

  /** It may wait for a thread that is inside at another node, and that for a minipage of this home. */
  @Test
  void shouldCloseNothingWhileAFaultOfItsOwnIsUnderWay() {
    core.onFault(3, new Waiting());
    homes.close("it leaves");
    assertFalse(homes.isClosed());
    assertTrue(tables.isFree(1));
    core.onLocked(3, DirectoryEntry.CLOSED, 0, 0, 0);
    assertTrue(homes.isClosed());
  }

  /** Nobody tells a home that stays what it was of what others have; it knows. */
  @Test
  void shouldKeepWhatItKnowsOfEntriesThatItHasClosedWhenAnotherHomeIsLost() {
    tables.unlock(1, DirectoryEntry.owner(2, false), 0b0100);
    assertEquals(DirectoryEntry.FREE, tables.lock(2, LOCKED_BY_OTHER));
    homes.close("it leaves");
    assertFalse(homes.isClosed());
    assertTrue(tables.isClosed(1));
    lost = OTHER;
    homes.takeOver(ROWS);
    homes.onHolds(new DsmMessage.Holds(3, 2, Rights.READ), 2);
    homes.onGathered();
    assertTrue(tables.isFree(3), "that was the lost one's");
    assertTrue(tables.isClosed(1));
    assertFalse(tables.isLost(1));
  }

  @Test
  void shouldServeInThePlaceOfALostHomeUntilItIsClosed() {
    assertEquals(DirectoryEntry.FREE, tables.lock(1, LOCKED_BY_OTHER));
    homes.close("it leaves");
    lost = OTHER;
    homes.takeOver(ROWS);
    tables.unlock(1, DirectoryEntry.owner(0, true), STAYS);
    assertFalse(homes.isClosed(), "not all have said yet what they have");
    homes.onHolds(new DsmMessage.Holds(3, 2, Rights.READ), 2);
    homes.onGathered();
    assertTrue(tables.isFree(3) && tables.isFree(4));
    assertTrue(homes.isClosed());
  }
}

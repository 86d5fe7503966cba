package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.access.AccessCosts;
import dev.weft.dsm.access.Announcements;
import dev.weft.dsm.access.CheckedAccess;
import dev.weft.dsm.direct.DirectoryEntry;
import dev.weft.dsm.direct.LocalNode;
import dev.weft.dsm.direct.RemoteVerbs;
import dev.weft.dsm.direct.SynchronousCore;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a home of the synchronous engine tells nodes that leave, with entries in registered memory; no verb is ever answered. */
@Timeout(30)
class DirectHomesTest {
  private static final int MINIPAGE = 0;
  private static final long STAYS = 0b0001;
  private static final long LEAVE = 0b1100;
  private static final ObjectSpec WORDS = new ObjectSpec(1, ObjectSpec.Kind.LONGS, "words", 10, 80, 0, MINIPAGE, STAYS);

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

  private final Set<Said> said = new HashSet<>();
  private LocalFabric fabric;
  private DirectTables tables;
  private DirectHomes homes;
  private long lost;

  @BeforeEach
  void start() {
    fabric = LocalFabric.start(ConfigFactory.parseString("weft.dsm.memory = 1 MiB\nweft.dsm.minipages-max = 16\nweft.hca.pin-memory = false"));
    Node node = fabric.addNode("host-0");
    tables = new DirectTables(node, node.hca().allocPd(), DsmSettings.from(fabric.config()));
    CheckedAccess access = new CheckedAccess(new Announcements(1), true, AccessCosts.NONE, tables::tableOf);
    Silent silent = new Silent();
    homes = new DirectHomes(0, tables, new MinipageMap(access, () -> LEAVE), (to, message) -> said.add(new Said(to, message)),
        new SynchronousCore(0, silent, silent, 0), () -> lost, () -> LEAVE);
    access.add(WORDS);
    homes.add(WORDS);
    tables.unlock(MINIPAGE, DirectoryEntry.owner(2, false), LEAVE);
    for (int leaving = 2; leaving < 4; leaving++) {
      homes.onEvacuate(new DsmMessage.Evacuate(MINIPAGE, 1, 1), leaving);
    }
  }

  @AfterEach
  void close() {
    fabric.close();
  }

  private static Said safe(int node) {
    return new Said(node, new DsmMessage.Safe(MINIPAGE, 1));
  }

  @Test
  void shouldAnswerEachOfTwoThatLeaveInTheSameRound() {
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
    lost = 0b0100;
    homes.look();
    said.remove(safe(2)); // Nothing reaches a lost node.
    assertEquals(Set.of(), said, "the other one still has the only copy");
    tables.unlock(MINIPAGE, DirectoryEntry.owner(3, false), LEAVE | STAYS);
    homes.look();
    assertEquals(Set.of(safe(3)), said);
  }
}

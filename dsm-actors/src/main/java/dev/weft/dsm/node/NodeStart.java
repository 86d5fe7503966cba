package dev.weft.dsm.node;

import akka.actor.typed.ActorRef;
import dev.weft.dsm.access.AccessCosts;
import dev.weft.dsm.access.Announcements;
import dev.weft.dsm.access.CheckedAccess;
import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.access.StackRoom;
import dev.weft.dsm.direct.DirectTables;
import dev.weft.dsm.objects.DsmParts;
import dev.weft.dsm.objects.Ended;
import dev.weft.dsm.objects.NodeCommand;
import dev.weft.dsm.objects.Wait;
import dev.weft.dsm.objects.WaitStrategy;
import dev.weft.dsm.release.ReleaseCore;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.dsm.settings.Engine;
import dev.weft.hca.node.Interrupts;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** Joins a node to a shared memory: reserves its memory, starts its actor and waits. Starts again if a node was lost meanwhile. */
final class NodeStart {
  private final Node node;
  private final String space;
  private final String founder;
  private final DsmSettings settings;
  private final WaitStrategy waits;
  private final boolean takeTurns;
  private final AccessCosts costs;
  private MemorySegment frames;

  private NodeStart(Node node, String space, String founder, DsmSettings settings, WaitStrategy waits, boolean takeTurns, AccessCosts costs) {
    this.node = node;
    this.space = space;
    this.founder = founder;
    this.settings = settings;
    this.waits = waits;
    this.takeTurns = takeTurns;
    this.costs = costs;
  }

  /** {@link DsmNode#join}. */
  static DsmNode join(Node node, String space, String founder, DsmSettings settings, WaitStrategy waits, boolean takeTurns, AccessCosts costs) {
    Objects.requireNonNull(founder, "founder");
    Objects.requireNonNull(space, "the name of the shared memory");
    if (!space.matches("[A-Za-z0-9-]{1,32}")) {
      throw new IllegalArgumentException("\"" + space + "\" is no name of a shared memory; must be 1 to 32 letters, digits and dashes");
    }
    return new NodeStart(node, space, founder, settings, waits, takeTurns, costs).join();
  }

  /** Reports an interrupt as such: an interrupted thread gets no answers of the hardware, so other errors would follow. */
  private DsmNode join() {
    if (Thread.currentThread().isInterrupted()) { // Answers that are available at once would hide it.
      throw interrupted(null);
    }
    try {
      return joinNow();
    } catch (RuntimeException failed) {
      if (Thread.currentThread().isInterrupted()) {
        throw interrupted(failed);
      }
      throw failed;
    }
  }

  private IllegalStateException interrupted(RuntimeException cause) {
    return new IllegalStateException("interrupted while node " + node.name() + " was joining shared memory " + space, cause);
  }

  private DsmNode joinNow() {
    StackRoom.require();
    long sinceNs = node.context().clock().nowNs();
    for (int attempt = 1;; attempt++) {
      DsmParts parts = reserve();
      ActorRef<NodeCommand> actor = start(parts, attempt);
      Wait.OfJoin wait = new Wait.OfJoin();
      boolean isMember = false;
      try {
        awaitJoin(parts, actor, wait, settings.joinTimeoutNs() - (node.context().clock().nowNs() - sinceNs));
        isMember = !wait.hasFailed();
      } finally {
        if (!isMember) {
          actor.tell(NodeCommand.Stop.INSTANCE);
        }
      }
      if (isMember) {
        return new DsmNode(parts, actor, wait.number);
      }
      if (!wait.isToBeTriedAgain || !waits.await(parts.ended()::get, settings.joinTimeoutNs() - (node.context().clock().nowNs() - sinceNs))) {
        wait.check();
      }
      frames.fill((byte) 0); // Other nodes may have written to it.
    }
  }

  private void awaitJoin(DsmParts parts, ActorRef<NodeCommand> actor, Wait.OfJoin wait, long maxNs) {
    actor.tell(wait);
    if (!waits.await(() -> wait.isOver() || parts.ended().get(), maxNs)) {
      throw new IllegalStateException("node " + node.name() + " is not a member of shared memory " + space + " after weft.dsm.join-timeout; is its first node "
          + founder + " there, or another one?");
    }
    if (!wait.isOver()) {
      throw new IllegalStateException(parts.ended().why());
    }
  }

  private ActorRef<NodeCommand> start(DsmParts parts, int attempt) {
    try {
      return node.spawnRole(DsmNodeActor.create(parts), "dsm-" + space + (attempt == 1 ? "" : "-" + attempt), settings.context());
    } catch (RuntimeException | Error refused) {
      evenIfInterrupted(parts::close);
      throw refused;
    }
  }

  private DsmParts reserve() {
    ProtectionDomain pd = node.hca().allocPd();
    MemoryRegion region = null;
    DirectTables tables = null;
    try {
      if (frames == null) {
        frames = node.hca().allocMemory(Arena.ofAuto(), settings.memoryBytes() + ReleaseCore.stagingBytes(settings.memoryBytes()));
      }
      region = node.hca().regMr(pd, frames, Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ);
      tables = settings.engine() == Engine.SYNCHRONOUS ? new DirectTables(node, pd, settings) : null;
      Announcements announcements = tables == null ? new Announcements(settings.threadsMax())
          : new Announcements(tables.memory(), settings.threadsMax(), true);
      CheckedAccess access = tables == null ? new CheckedAccess(announcements, takeTurns, costs, PageTable::new)
          : new CheckedAccess(announcements, true, costs, tables::tableOf);
      return new DsmParts(node, space, founder, settings, pd, frames, region, tables, announcements, access, new ConcurrentHashMap<>(), new Ended(),
          new AtomicBoolean(), waits);
    } catch (RuntimeException | OutOfMemoryError refused) {
      DirectTables made = tables;
      MemoryRegion registered = region;
      evenIfInterrupted(() -> {
        if (made != null) {
          node.hca().deregMr(made.region());
        }
        if (registered != null) {
          node.hca().deregMr(registered);
        }
        node.hca().deallocPd(pd);
      });
      throw refused;
    }
  }

  private static void evenIfInterrupted(Runnable giveBack) {
    Interrupts.putAside(() -> {
      giveBack.run();
      return null;
    });
  }
}

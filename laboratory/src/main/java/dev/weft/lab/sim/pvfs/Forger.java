package dev.weft.lab.sim.pvfs;

import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.RoleContext;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.lab.kit.Draw;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.CapabilitySource;
import dev.weft.pvfs.client.ClientSettings;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.wire.Capability;
import dev.weft.pvfs.wire.CapabilityKey;
import dev.weft.pvfs.wire.DaemonOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A client that shows daemons capabilities which do not allow its requests: it must get no data, and change nothing. Its data is not the number of
 * any write, so every reader reports it.
 */
final class Forger {
  /** What is wrong with a capability. */
  private enum Fake {
    NOTHING,
    GARBAGE,
    /** Correct except for one bit. */
    CHANGED,
    /** Signed with another key. */
    FORGED,
    EXPIRED,
    OF_ANOTHER_FILE,
    /** Allows reading for a write, and the reverse. */
    FOR_LESS,
    /** All rights of a client, for operations reserved to the manager. */
    OF_A_CLIENT
  }

  private enum Command {
    GO_ON
  }

  /** Names of actors are in the trace of a run, so this one stays as it was when seeds were recorded. */
  private static final String NAME = "stranger";
  private static final double SHARE = 0.3;
  private static final int BYTES_MAX = 8_192;
  private static final byte POISON = 0x5a;
  private static final MemorySegment POISONED = MemorySegment.ofArray(new byte[BYTES_MAX]).fill(POISON).asReadOnly();
  private static final long SESSION = 4_711;
  private static final List<DaemonOp> OPS = List.of(DaemonOp.READ, DaemonOp.READ, DaemonOp.WRITE, DaemonOp.WRITE, DaemonOp.TRUNCATE, DaemonOp.PUNCH,
      DaemonOp.SYNC, DaemonOp.REMOVE, DaemonOp.SCRUB);

  private final PvfsRun run;
  private final PvfsSite site;
  private final Node node;
  private final Draw draw;
  private final CapabilityKey key;
  private final CapabilityKey otherKey;
  private final DataClient client;
  private final MemorySegment memory;
  private final ActorRef<Command> self;
  private byte[] shown;
  private int left;
  private boolean isBusy;
  private String doing = "begins";

  Forger(PvfsRun run, VirtualFabric fabric, Node node, PvfsSite site, Draw draw) {
    this.run = run;
    this.site = site;
    this.node = node;
    this.draw = draw;
    this.key = new CapabilityKey(site.key());
    byte[] other = site.key().clone();
    other[draw.between(0, other.length - 1)] ^= 1;
    this.otherKey = new CapabilityKey(other);
    this.left = draw.between(4, 24);
    this.memory = node.hca().allocMemory(Arena.ofAuto(), BYTES_MAX);
    this.client = DataClient.start(fabric, node, NAME, site.daemons(), ClientSettings.from(fabric.config()), new CapabilitySource() {
      @Override
      public byte[] of(long object, DaemonOp op) {
        return shown;
      }

      @Override
      public boolean renew(long object, Runnable then) {
        return false;
      }
    });
    self = node.spawnRole(Behaviors.receiveMessage(_ -> {
      attack();
      return Behaviors.same();
    }), NAME, RoleContext.ISR);
    after();
  }

  /** Draws whether there is a forger. */
  static boolean draw(Draw draw) {
    return draw.chance(SHARE);
  }

  boolean isDone() {
    return left == 0 && !isBusy;
  }

  void close() {
    client.close();
  }

  @Override
  public String toString() {
    return "the forger " + doing;
  }

  private void after() {
    node.context().timers().at(run.nowNs() + (long) draw.logarithmic(1_000, 500_000), self, Command.GO_ON);
  }

  private void attack() {
    if (left == 0) {
      return;
    }
    left--;
    isBusy = true;
    List<PvfsFiles.Shared> files = run.files().shared();
    PvfsFiles.Shared file = files.get(draw.between(0, files.size() - 1));
    DaemonOp op = OPS.get(draw.between(0, OPS.size() - 1));
    Fake fake = Fake.values()[draw.between(0, Fake.values().length - 1)];
    fake = fake == Fake.OF_A_CLIENT && op != DaemonOp.REMOVE && op != DaemonOp.SCRUB || fake == Fake.FOR_LESS && op == DaemonOp.SYNC ? Fake.FORGED : fake;
    shown = shown(fake, op, file.inode());
    doing = op + " " + file.name() + " showing " + fake;
    run.note("the forger begins " + doing);
    int bytes = FileHistory.CELL * (int) draw.logarithmic(1, BYTES_MAX / (double) FileHistory.CELL);
    memory.fill(POISON);
    boolean moves = op == DaemonOp.READ || op == DaemonOp.WRITE;
    boolean hasRange = moves || op == DaemonOp.TRUNCATE || op == DaemonOp.PUNCH || op == DaemonOp.SCRUB;
    long at = op == DaemonOp.SCRUB ? 0 : FileHistory.CELL * (long) draw.between(0, 20_000);
    IoTask begun = client.begin(op, file.inode(), file.history().striping(), hasRange ? new long[] {at} : new long[0],
        hasRange ? new long[] {op == DaemonOp.TRUNCATE ? 0 : bytes} : new long[0],
        moves ? new MemorySegment[] {memory.asSlice(0, bytes)} : new MemorySegment[0], task -> ended(op, task));
    if (begun == null) {
      run.violations().add("the forger could not begin " + doing);
    }
  }

  private byte[] shown(Fake fake, DaemonOp op, long inode) {
    long now = site.wallNs();
    long later = now + 1_000_000_000_000L;
    int less = op == DaemonOp.READ ? Capability.ACCESS_MASK & ~Capability.READ : Capability.ACCESS_MASK & ~Capability.WRITE;
    return switch (fake) {
      case NOTHING -> null;
      case GARBAGE -> garbage();
      case CHANGED -> changed(marked(key, new Capability(inode, Capability.ACCESS_MASK, Capability.MANAGER, later)));
      case FORGED -> marked(otherKey, new Capability(inode, Capability.ACCESS_MASK, Capability.MANAGER, later));
      case EXPIRED -> marked(key, new Capability(inode, Capability.ACCESS_MASK, Capability.MANAGER, now - (long) draw.logarithmic(1, 1e12)));
      case OF_ANOTHER_FILE -> marked(key, new Capability(inode + draw.between(1, 3), Capability.ACCESS_MASK, Capability.MANAGER, later));
      case FOR_LESS -> marked(key, new Capability(inode, less, SESSION, later));
      case OF_A_CLIENT -> marked(key, new Capability(inode, Capability.ACCESS_MASK, SESSION, later));
    };
  }

  private static byte[] marked(CapabilityKey by, Capability capability) {
    ByteBuffer out = ByteBuffer.allocate(CapabilityKey.ENCODED_BYTES);
    by.encode(capability, out);
    return out.array();
  }

  private byte[] garbage() {
    ByteBuffer out = ByteBuffer.allocate(CapabilityKey.ENCODED_BYTES);
    while (out.remaining() >= Integer.BYTES) {
      out.putInt(draw.nextInt());
    }
    return out.array();
  }

  private byte[] changed(byte[] right) {
    right[draw.between(0, right.length - 1)] ^= (byte) (1 << draw.between(0, 7));
    return right;
  }

  private void ended(DaemonOp op, IoTask task) {
    boolean isRefused = task.errno() == Errno.EACCES || task.errno() == Errno.ESTALE;
    if (!isRefused && !run.errors().mayBeUnreachable(task.errno())) {
      run.violations().add(doing + ", and got " + Errno.name(task.errno()));
    }
    if (op == DaemonOp.READ && memory.mismatch(POISONED) >= 0) {
      run.violations().add(doing + ", and was given data");
    }
    run.marks().add(isRefused ? PvfsMarks.FORGER_REFUSED : PvfsMarks.GAVE_UP_DAEMON);
    run.onEnd("the forger", doing + " " + Errno.name(task.errno()));
    isBusy = false;
    after();
  }
}

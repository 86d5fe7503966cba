package dev.weft.pvfs.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.store.MemoryDisk;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.Capability;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** Random operations on a name space and on a model of it, with commits, commits that fail, and crashes at and between them. */
final class RandomRun {
  private static final String[] NAMES = {"a", "b", "c", "d", "\u00e4\u0001\u00ff", "-"};
  private static final int[] MODES = {0755, 0700, 0777, 01777, 02775, 0644, 04755, 02755, 06711, 0};
  private static final Caller[] CALLERS = {Caller.ROOT, Caller.ROOT, new Caller(10, 20, List.of()), new Caller(11, 20, List.of()),
      new Caller(12, 21, List.of())};
  private static final long SESSIONS = 3;

  private final Random random;
  private final FaultyStore.Fault fault;
  private final MemoryDisk disk = new MemoryDisk("disk");
  private final List<String> trace = new ArrayList<>();
  private NameSpace space;
  private Model model = Model.fresh();
  private Model committed;
  private long now = 1_000_000_000L;
  private long highest = Inode.ROOT;
  private long committedHighest = Inode.ROOT;
  private boolean isIntentDone;

  RandomRun(long seed, FaultyStore.Fault fault) {
    random = new Random(seed);
    this.fault = fault;
  }

  /** Throws an error, with all that was done, if the name space is not what it has to be. */
  void run(int batches) {
    try {
      openStore();
      committed = model.copy();
      for (int batch = 0; batch < batches; batch++) {
        for (int operation = random.nextInt(8); operation >= 0; operation--) {
          operate();
        }
        end();
      }
      finish();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(e + "\n  " + String.join("\n  ", trace), e);
    }
  }

  private void openStore() {
    space = NameSpace.open(new FaultyStore(disk.open(), fault, random.nextLong()), NameSpaceSettings.of(4), now);
  }

  private void end() {
    isIntentDone = false;
    switch (random.nextInt(13)) {
      case 0 -> crash("crash before the commit");
      case 1 -> failCommit();
      case 2 -> {
        commit();
        crash("crash behind the commit");
      }
      case 3 -> crashInCommit();
      default -> commit();
    }
    check();
  }

  private void check() {
    assertEquals(String.join("\n", model.show()), String.join("\n", Shown.of(space)));
    assertEquals(model.nodes.values().stream().mapToInt(node -> node.opens.size()).sum(), space.statfs().opens(), "what is open");
    assertEquals(List.of(), Fsck.check(space.store()).stream().map(Finding::toString).toList());
  }

  private void commit() {
    trace.add("commit");
    space.commit();
    committed = model.copy();
    committedHighest = highest;
  }

  private void failCommit() {
    trace.add("a commit fails");
    disk.failAfter(0);
    boolean hadChanges = space.hasChanges();
    boolean failed = false;
    try {
      space.commit();
    } catch (StoreException e) {
      failed = true;
    }
    disk.failAfter(-1);
    if (failed) {
      model = committed.copy();
      highest = committedHighest;
    } else {
      assertTrue(!hadChanges || !space.hasChanges());
      committed = model.copy();
      committedHighest = highest;
    }
  }

  /** The batch that was being written may be there afterwards, but then all of it. */
  private void crashInCommit() {
    trace.add("the machine fails in the middle of the commit");
    long commits = commits();
    disk.failUnsure(true);
    try {
      space.commit();
      disk.failUnsure(false);
      disk.crash(0);
    } catch (StoreException e) {
      disk.crash(random);
    }
    openStore();
    boolean isThere = commits() > commits;
    trace.add(isThere ? "the batch is there" : "the batch is lost");
    if (isThere) {
      committed = model.copy();
      committedHighest = highest;
    }
    crash("crash at the start");
  }

  private long commits() {
    return Values.superBlock(space.store().get(Keys.SUPER)).commits();
  }

  private void crash(String what) {
    trace.add(what);
    disk.crash(random);
    model = committed.copy();
    highest = committedHighest;
    model.crash();
    openStore();
    assertTrue(space.isRecovering());
    check();
    if (random.nextBoolean()) {
      recover();
    }
    commit();
  }

  private void recover() {
    trace.add("recovery ends");
    while (!Shown.value(space.endRecovery())) {
      space.commit();
    }
    model.recovering = false;
    model.endSession(0);
  }

  private void finish() {
    recover();
    for (long session : space.sessions()) {
      Shown.value(space.endSession(session));
      model.endSession(session);
    }
    commit();
    check();
    assertEquals(0, space.statfs().orphans(), "orphans");
    assertEquals(0, space.statfs().opens(), "open");
  }

  private String name() {
    return NAMES[random.nextInt(NAMES.length)];
  }

  private long any() {
    List<Long> numbers = List.copyOf(model.nodes.keySet());
    return random.nextInt(20) == 0 ? highest + random.nextInt(3) : numbers.get(random.nextInt(numbers.size()));
  }

  private long directory() {
    List<Long> directories = model.nodes.values().stream().filter(Model.Node::isDirectory).map(node -> node.number).toList();
    return random.nextInt(20) == 0 ? any() : directories.get(random.nextInt(directories.size()));
  }

  private int mode() {
    return MODES[random.nextInt(MODES.length)];
  }

  /** Both do it, and answer the same. */
  private void both(String what, Supplier<Result<?>> real, Runnable modelled) {
    int expected = Errno.OK;
    Model before = model.copy();
    try {
      modelled.run();
    } catch (Model.No no) {
      expected = no.errno;
      model = before;
    }
    trace.add(what + " -> " + Errno.name(expected));
    assertEquals(Errno.name(expected), Errno.name(real.get().errno()), what);
  }

  private void make(String what, Caller caller, long parent, String name, FileType type, int mode, Supplier<Result<Inode>> real) {
    Result<Inode> result = real.get();
    both(what, () -> result, () -> {
      model.checkMake(caller, parent, name);
      long number = result.isOk() ? result.value().number() : -1;
      assertTrue(number > highest, "inode " + number + " was used before, up to " + highest);
      highest = Math.max(highest, number);
      Model.Node made = model.make(caller, parent, name, type, mode, number);
      if (type == FileType.SYMLINK) {
        made.target = "target of " + name;
      }
    });
  }

  private void operate() {
    now += 1 + random.nextInt(1000);
    Caller caller = CALLERS[random.nextInt(CALLERS.length)];
    String name = name();
    long parent = directory();
    long inode = any();
    int mode = mode();
    long session = 1 + random.nextInt((int) SESSIONS);
    byte[] bytes = Shown.bytes(name);
    String by = "uid " + caller.uid() + " ";
    switch (random.nextInt(20)) {
      case 0, 1, 2 -> make(by + "create " + parent + "/" + name, caller, parent, name, FileType.REGULAR, mode,
          () -> space.create(caller, parent, bytes, mode, true, null, session, 0, now));
      case 3, 4 -> make(by + "mkdir " + parent + "/" + name, caller, parent, name, FileType.DIRECTORY, mode,
          () -> space.mkdir(caller, parent, bytes, mode, now));
      case 5 -> make(by + "symlink " + parent + "/" + name, caller, parent, name, FileType.SYMLINK, 0777,
          () -> space.symlink(caller, parent, bytes, Shown.bytes("target of " + name), now));
      case 6 -> make(by + "mknod " + parent + "/" + name, caller, parent, name, FileType.FIFO, mode,
          () -> space.mknod(caller, parent, bytes, FileType.FIFO.modeBits() | mode, 0, now));
      case 7 -> both(by + "link " + inode + " to " + parent + "/" + name, () -> space.link(caller, inode, parent, bytes, now),
          () -> model.link(caller, inode, parent, name));
      case 8, 9 -> both(by + "unlink " + parent + "/" + name, () -> space.unlink(caller, parent, bytes, now), () -> model.unlink(caller, parent, name));
      case 10 -> both(by + "rmdir " + parent + "/" + name, () -> space.rmdir(caller, parent, bytes, now), () -> model.rmdir(caller, parent, name));
      case 11, 12, 13 -> rename(caller, by, parent, name);
      default -> operateOnInode(caller, by, inode, session, mode, name);
    }
  }

  private void rename(Caller caller, String by, long from, String name) {
    long to = random.nextBoolean() ? from : directory();
    String newName = name();
    int flags = random.nextInt(3);
    both(by + "rename " + from + "/" + name + " to " + to + "/" + newName + " flags " + flags,
        () -> space.rename(caller, from, Shown.bytes(name), to, Shown.bytes(newName), flags, now), () -> model.rename(caller, from, name, to, newName, flags));
  }

  private void operateOnInode(Caller caller, String by, long inode, long session, int mode, String name) {
    int flags = random.nextInt(3);
    String attribute = "user." + name;
    switch (random.nextInt(10)) {
      case 0 -> both(by + "chmod " + inode + " " + Integer.toOctalString(mode), () -> set(caller, inode, AttributeChange.MODE, mode, 0, 0),
          () -> model.chmod(caller, inode, mode));
      case 1 -> both(by + "chown " + inode, () -> set(caller, inode, AttributeChange.UID, 0, 10, 0), () -> model.chown(caller, inode, 10));
      case 2 -> both(by + "truncate " + inode, () -> set(caller, inode, AttributeChange.SIZE, 0, 0, mode), () -> model.truncate(caller, inode, mode));
      case 3, 4, 5 -> both(by + "open " + inode + " in " + session, () -> space.open(caller, session, inode, Capability.READ, now),
          () -> model.open(caller, session, inode));
      case 6 -> both("close " + inode + " in " + session, () -> space.close(session, inode), () -> model.close(session, inode));
      case 7 -> both("setxattr " + inode + " " + attribute + " flags " + flags,
          () -> space.setxattr(Caller.ROOT, inode, Shown.bytes(attribute), Shown.bytes(name), flags, now),
          () -> model.setxattr(inode, attribute, name, flags));
      case 8 -> both("removexattr " + inode + " " + attribute, () -> space.removexattr(Caller.ROOT, inode, Shown.bytes(attribute), now),
          () -> model.removexattr(inode, attribute));
      default -> endOrDone(session);
    }
  }

  private Result<Inode> set(Caller caller, long inode, int mask, int mode, int uid, long size) {
    return space.setattr(caller, 0, inode, new AttributeChange(mask, mode, uid, 0, size, 0, 0), now);
  }

  private void endOrDone(long session) {
    List<Intent> intents = space.intents(0, 1);
    if (random.nextBoolean() || intents.isEmpty() || isIntentDone) {
      both("end of session " + session, () -> space.endSession(session), () -> model.endSession(session));
    } else {
      isIntentDone = true;
      both("intent done", () -> space.intentDone(intents.getFirst().id()), () -> model.intents.removeFirst());
    }
  }
}

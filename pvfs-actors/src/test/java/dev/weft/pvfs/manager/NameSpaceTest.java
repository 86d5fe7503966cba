package dev.weft.pvfs.manager;

import static dev.weft.pvfs.manager.Shown.bytes;
import static dev.weft.pvfs.manager.Shown.text;
import static dev.weft.pvfs.manager.Shown.value;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.store.Batch;
import dev.weft.pvfs.store.MemoryDisk;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.Capability;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the model test does not say: paths, names, pages, striping, attributes, open files. */
class NameSpaceTest {
  private static final Caller ROOT = Caller.ROOT;
  private static final Caller ALICE = new Caller(10, 20, List.of(30));
  private static final Caller BOB = new Caller(11, 21, List.of());
  private static final long TOP = Inode.ROOT;

  private final MemoryDisk disk = new MemoryDisk("disk");
  private NameSpace space = NameSpace.open(disk.open(), NameSpaceSettings.of(4), 100);

  private static void assertErrno(int errno, Result<?> result) {
    assertEquals(Errno.name(errno), Errno.name(result.errno()));
  }

  private Inode create(Caller caller, long parent, String name, int mode) {
    return value(space.create(caller, parent, bytes(name), mode, true, null, 0, 0, 200));
  }

  private Inode mkdir(long parent, String name, int mode) {
    return value(space.mkdir(ROOT, parent, bytes(name), mode, 200));
  }

  private Result<Inode> walk(String path) {
    return space.walk(ROOT, TOP, bytes(path), true);
  }

  private void restart() {
    disk.crash(0);
    space = NameSpace.open(disk.open(), NameSpaceSettings.of(4), 300);
  }

  private Result<Inode> set(Caller caller, long inode, int mask, int mode, int id, long size) {
    return space.setattr(caller, 5, inode, new AttributeChange(mask, mode, id, id, size, 1, 2), 400);
  }

  @Test
  void shouldTakeNamesOfAnyBytesButSlashAndZero() {
    for (int one = 0; one < 256; one++) {
      byte[] name = {'x', (byte) one};
      assertErrno(one == 0 || one == '/' ? Errno.EINVAL : Errno.OK, space.create(ROOT, TOP, name, 0644, true, null, 0, 0, 1));
    }
    assertEquals(3 + 253, space.statfs().inodes() + 1);
    assertErrno(Errno.OK, space.mkdir(ROOT, TOP, new byte[] {(byte) 0xff}, 0755, 1));
    assertErrno(Errno.OK, space.mkdir(ROOT, TOP, "n".repeat(255).getBytes(), 0755, 1));
    assertErrno(Errno.ENAMETOOLONG, space.mkdir(ROOT, TOP, "n".repeat(256).getBytes(), 0755, 1));
    assertErrno(Errno.ENOENT, space.mkdir(ROOT, TOP, new byte[0], 0755, 1));
    assertErrno(Errno.EEXIST, space.mkdir(ROOT, TOP, bytes(".."), 0755, 1));
  }

  @Test
  void shouldWalkPathsAsPosixSays() {
    long a = mkdir(TOP, "a", 0755).number();
    long b = mkdir(a, "b", 0755).number();
    long file = create(ROOT, b, "file", 0644).number();
    value(space.symlink(ROOT, a, bytes("up"), bytes("../a/b"), 1));
    value(space.symlink(ROOT, TOP, bytes("abs"), bytes("/a/up/"), 1));
    assertEquals(file, value(walk("/a/b/file")).number());
    assertEquals(file, value(walk("a//b/./../b/file")).number());
    assertEquals(file, value(walk("abs/file")).number());
    assertEquals(TOP, value(walk("/../..")).number());
    assertEquals(b, value(walk("a/up")).number());
    assertEquals(FileType.SYMLINK, value(space.walk(ROOT, TOP, bytes("a/up"), false)).type());
    assertEquals(b, value(space.walk(ROOT, TOP, bytes("a/up/"), false)).number());
    assertErrno(Errno.ENOTDIR, walk("a/b/file/"));
    assertErrno(Errno.ENOTDIR, walk("a/b/file/x"));
    assertErrno(Errno.ENOENT, walk("a/none/x"));
    assertErrno(Errno.ENOENT, walk(""));
    assertErrno(Errno.ENAMETOOLONG, walk("/a".repeat(2048)));
    assertErrno(Errno.ENAMETOOLONG, walk("n".repeat(256)));
  }

  @Test
  void shouldFollowFortySymbolicLinksButNotMore() {
    create(ROOT, TOP, "0", 0644);
    for (int link = 1; link <= 41; link++) {
      value(space.symlink(ROOT, TOP, bytes("" + link), bytes("" + (link - 1)), 1));
    }
    assertErrno(Errno.OK, walk("40"));
    assertErrno(Errno.ELOOP, walk("41"));
    value(space.symlink(ROOT, TOP, bytes("self"), bytes("self"), 1));
    assertErrno(Errno.ELOOP, walk("self"));
    assertErrno(Errno.ENAMETOOLONG, space.symlink(ROOT, TOP, bytes("long"), new byte[4096], 1));
    assertErrno(Errno.ENOENT, space.symlink(ROOT, TOP, bytes("empty"), new byte[0], 1));
  }

  @Test
  void shouldShowEachEntryOnceWhileOthersComeAndGo() {
    for (int number = 0; number < 200; number++) {
      create(ROOT, TOP, "stays" + number, 0644);
      create(ROOT, TOP, "goes" + number, 0644);
    }
    Set<String> seen = new HashSet<>();
    long cookie = 0;
    int turn = 0;
    List<DirEntry> page;
    do {
      page = value(space.readdir(ROOT, 0, TOP, cookie, 512, false));
      for (DirEntry entry : page) {
        assertTrue(seen.add(text(entry.name())), text(entry.name()) + " twice");
        cookie = entry.cookie();
      }
      if (turn < 200) {
        value(space.unlink(ROOT, TOP, bytes("goes" + turn), 1));
        value(space.create(ROOT, TOP, bytes("new" + turn), 0644, true, null, 0, 0, 1));
        value(space.rename(ROOT, TOP, bytes("new" + turn), TOP, bytes("stays" + turn), turn % 2 == 0 ? 0 : 2, 1));
        turn++;
      }
      space.commit();
    } while (!page.isEmpty());
    for (int number = 0; number < 200; number++) {
      assertTrue(seen.contains("stays" + number), "stays" + number);
    }
    assertTrue(seen.contains(".") && seen.contains(".."));
    assertErrno(Errno.EINVAL, space.readdir(ROOT, 0, TOP, 0, 10, false));
    assertEquals(List.of(), value(space.readdir(ROOT, 0, TOP, Long.MAX_VALUE, 1000, false)));
  }

  @Test
  void shouldSpreadFilesOverTheDaemonsAndInheritAStriping() {
    List<Integer> bases = new ArrayList<>();
    for (int number = 0; number < 8; number++) {
      bases.add(create(ROOT, TOP, "f" + number, 0644).striping().base());
    }
    assertEquals(List.of(0, 1, 2, 3, 0, 1, 2, 3), bases);
    long dir = mkdir(TOP, "dir", 0777).number();
    assertErrno(Errno.EPERM, space.setDefaultStriping(ALICE, dir, StripingWish.NONE, 1));
    assertErrno(Errno.EINVAL, space.setDefaultStriping(ROOT, dir, new StripingWish(4, 1, 1), 1));
    value(space.setDefaultStriping(ROOT, dir, new StripingWish(3, 2, 4096), 1));
    long below = mkdir(dir, "below", 0755).number();
    assertEquals(new Striping(3, 2, 4096, 4), create(ROOT, below, "f", 0644).striping());
    assertEquals(new Striping(1, 4, 65_536, 4), value(space.create(ROOT, below, bytes("g"), 0644, true, new StripingWish(1, -1, -1), 0, 0, 1)).striping());
    assertErrno(Errno.EINVAL, space.create(ROOT, below, bytes("h"), 0644, true, new StripingWish(0, 5, -1), 0, 0, 1));
    space.commit();
    disk.crash(0);
    space = NameSpace.open(disk.open(), NameSpaceSettings.of(1), 1);
    assertEquals(new Striping(0, 1, 4096, 1), create(ROOT, below, "fewer daemons", 0644).striping());
    assertEquals("wished count is 0, must be from 1 to 512, or -1 for any",
        assertThrows(IllegalArgumentException.class, () -> new StripingWish(0, 0, 1)).getMessage());
  }

  @Test
  void shouldCheckWhoMayChangeWhichAttributes() {
    long open = mkdir(TOP, "open", 0777).number();
    long file = create(ALICE, open, "file", 06775).number();
    assertErrno(Errno.EPERM, set(BOB, file, AttributeChange.MODE, 0777, 0, 0));
    assertErrno(Errno.EPERM, set(ALICE, file, AttributeChange.UID, 0, 11, 0));
    assertErrno(Errno.EPERM, set(ALICE, file, AttributeChange.GID, 0, 99, 0));
    assertErrno(Errno.EACCES, set(BOB, file, AttributeChange.SIZE, 0, 0, 10));
    assertErrno(Errno.EPERM, set(BOB, file, AttributeChange.MTIME, 0, 0, 0));
    assertErrno(Errno.EACCES, set(BOB, file, AttributeChange.MTIME | AttributeChange.MTIME_NOW, 0, 0, 0));
    assertErrno(Errno.EINVAL, set(ROOT, file, 1 << 20, 0, 0, 0));
    assertErrno(Errno.EINVAL, set(ROOT, file, AttributeChange.SIZE, 0, 0, -1));
    assertErrno(Errno.EFBIG, set(ROOT, file, AttributeChange.SIZE, 0, 0, Long.MAX_VALUE));
    assertErrno(Errno.EISDIR, set(ROOT, open, AttributeChange.SIZE, 0, 0, 0));
    assertEquals(0775, value(set(ALICE, file, AttributeChange.GID, 0, 30, 0)).mode(), "chown ends set-id");
    assertEquals(02775, value(set(ALICE, file, AttributeChange.MODE, 02775, 0, 0)).mode());
    Inode set = value(set(ALICE, file, AttributeChange.ATIME | AttributeChange.MTIME | AttributeChange.MTIME_NOW, 0, 0, 0));
    assertEquals(List.of(1L, 400L, 400L), List.of(set.atimeNs(), set.mtimeNs(), set.ctimeNs()));
    assertEquals(0, value(set(ROOT, file, AttributeChange.MODE, 0, 0, 0)).mode());
    assertErrno(Errno.EACCES, space.access(ALICE, file, NameSpace.READ));
    assertErrno(Errno.OK, space.access(ROOT, file, NameSpace.READ));
    assertErrno(Errno.EACCES, space.access(ROOT, file, NameSpace.EXECUTE));
  }

  @Test
  void shouldKeepWhatIsOpenForWritingWritableWhateverTheMode() {
    long open = mkdir(TOP, "open", 0777).number();
    long file = value(space.create(ALICE, open, bytes("f"), 0444, true, null, 5, Capability.READ | Capability.WRITE, 1)).number();
    assertErrno(Errno.EACCES, space.open(ALICE, 5, file, Capability.WRITE, 1));
    assertErrno(Errno.EACCES, set(ALICE, file, AttributeChange.SIZE, 0, 0, 3));
    assertEquals(3, value(set(ALICE, file, AttributeChange.SIZE | AttributeChange.BY_HANDLE, 0, 0, 3)).sizeHint());
    assertEquals(77, value(space.wrote(ALICE, 5, file, 77, false, 500, 1_000)).sizeHint());
    assertErrno(Errno.EBADF, space.wrote(ALICE, 6, file, 78, false, 500, 1_000));
    value(space.close(5, file));
    assertErrno(Errno.EBADF, set(ALICE, file, AttributeChange.SIZE | AttributeChange.BY_HANDLE, 0, 0, 3));
    assertErrno(Errno.EBADF, space.close(5, file));
  }

  /** Not at the one that it is closed at. */
  @Test
  void shouldHaveChangedAFileAtTheTimeThatItWasWrittenAtLast() {
    long file = value(space.create(ROOT, TOP, bytes("f"), 0644, true, null, 5, Capability.READ | Capability.WRITE, 100)).number();
    assertEquals(List.of(300L, 300L), times(value(space.wrote(ROOT, 5, file, 7, false, 300, 1_000))));
    assertEquals(List.of(300L, 300L), times(value(space.wrote(ROOT, 5, file, 8, false, 200, 1_000))), "another one has written it later");
    value(set(ROOT, file, AttributeChange.MTIME, 0, 0, 0));
    long mtime = value(space.getattr(file)).mtimeNs();
    assertEquals(mtime, value(space.wrote(ROOT, 5, file, 8, true, mtime + 5, 1_000)).mtimeNs(), "its time was set since");
  }

  @Test
  void shouldKeepATimeThatWasSetUntilTheFileIsWrittenAfterThat() {
    long file = value(space.create(ROOT, TOP, bytes("f"), 0644, true, null, 5, Capability.READ | Capability.WRITE, 100)).number();
    long future = 1_000_000;
    value(space.setattr(ROOT, 5, file, new AttributeChange(AttributeChange.MTIME, 0, 0, 0, 0, 0, future), 400));
    assertEquals(List.of(future, 400L), times(value(space.wrote(ROOT, 5, file, 7, false, 399, 1_000))));
    space.commit();
    restart();
    assertEquals(400, value(space.getattr(file)).timedNs());
    value(space.reclaim(5, file, Capability.WRITE));
    assertEquals(List.of(401L, 401L), times(value(space.wrote(ROOT, 5, file, 7, false, 401, 1_000))));
    assertEquals(List.of(402L, 402L), times(value(space.wrote(ROOT, 5, file, -1, false, 402, 1_000))), "a length that is not known");
    assertEquals(7, value(space.getattr(file)).sizeHint());
    value(space.setattr(ROOT, 5, file, new AttributeChange(AttributeChange.MTIME, 0, 0, 0, 0, 0, 3), 500));
    assertEquals(3, value(space.wrote(ROOT, 5, file, 7, false, 450, 1_000)).mtimeNs());
  }

  @Test
  void shouldTakeTheTimeOfAWriteOverOneOfAClockThatWasPutBack() {
    long hourNs = 3_600_000_000_000L;
    long file = value(space.create(ROOT, TOP, bytes("f"), 0644, true, null, 5, Capability.READ | Capability.WRITE, 3 * hourNs)).number();
    assertEquals(List.of(2 * hourNs, 2 * hourNs), times(value(space.wrote(ROOT, 5, file, 7, false, 2 * hourNs, 2 * hourNs + 5))));
    value(space.setattr(ROOT, 5, file, new AttributeChange(AttributeChange.MTIME, 0, 0, 0, 0, 0, 3), 9 * hourNs));
    assertEquals(List.of(2 * hourNs, 2 * hourNs), times(value(space.wrote(ROOT, 5, file, 7, false, 2 * hourNs, 2 * hourNs + 5))));
  }

  private static List<Long> times(Inode of) {
    return List.of(of.mtimeNs(), of.ctimeNs());
  }

  @Test
  void shouldMakeFilesOfADirectoryWithSetGidOfItsGroup() {
    long shared = mkdir(TOP, "shared", 02777).number();
    value(set(ROOT, shared, AttributeChange.GID, 0, 55, 0));
    assertEquals(55, create(ALICE, shared, "f", 02755).gid());
    assertEquals(0755, value(space.lookup(ROOT, shared, bytes("f"))).mode(), "not of a group of hers");
    assertEquals(02700, value(space.mkdir(ALICE, shared, bytes("d"), 0700, 1)).mode());
  }

  @Test
  void shouldKeepAFileThatIsOpenWithoutANameUntilItsSessionsAreGone() {
    long file = value(space.create(ROOT, TOP, bytes("f"), 0644, true, null, 5, Capability.WRITE, 1)).number();
    long named = value(space.create(ROOT, TOP, bytes("g"), 0644, true, null, 5, Capability.WRITE, 1)).number();
    value(space.open(ROOT, 6, file, Capability.READ, 1));
    value(space.unlink(ROOT, TOP, bytes("f"), 1));
    assertEquals(0, value(space.getattr(file)).links());
    assertErrno(Errno.ENOENT, space.link(ROOT, file, TOP, bytes("again"), 1));
    space.commit();
    restart();
    assertEquals(List.of(5L, 6L), space.sessions());
    value(space.reclaim(5, named, Capability.WRITE));
    assertTrue(value(space.endSession(6)));
    assertTrue(value(space.endRecovery()));
    assertErrno(Errno.EAGAIN, space.reclaim(6, named, Capability.READ));
    space.commit();
    assertEquals(List.of(), space.intents(0, 10));
    value(space.close(5, file));
    space.commit();
    assertErrno(Errno.ESTALE, space.getattr(file));
    assertEquals(List.of(file), space.intents(0, 10).stream().map(Intent::inode).toList());
    restart();
    Intent left = space.intents(0, 10).getFirst();
    value(space.intentDone(left.id()));
    space.commit();
    assertErrno(Errno.ENOENT, space.intentDone(left.id()));
    assertEquals(new Counts(2, 0, 0, 0), space.statfs());
  }

  /** The client that has it open may not have come back yet. */
  @Test
  void shouldRemoveNothingWhileItRecovers() {
    long file = value(space.create(ROOT, TOP, bytes("f"), 0644, true, null, 5, Capability.WRITE, 1)).number();
    space.commit();
    restart();
    value(space.unlink(ROOT, TOP, bytes("f"), 1));
    value(space.reclaim(5, file, Capability.WRITE));
    value(space.endRecovery());
    assertErrno(Errno.OK, space.getattr(file));
    value(space.close(5, file));
    assertErrno(Errno.ESTALE, space.getattr(file));
  }

  @Test
  void shouldEmptyAFileThatIsOpenedForThat() {
    long file = create(ROOT, TOP, "f", 0644).number();
    value(set(ROOT, file, AttributeChange.SIZE, 0, 0, 9));
    assertEquals(0, value(space.create(ROOT, TOP, bytes("f"), 0644, false, null, 5, Capability.WRITE | Capability.TRUNCATE, 1)).sizeHint());
    space.commit();
    assertEquals(List.of(9L, 0L), space.intents(0, 10).stream().map(Intent::sizeBytes).toList());
    assertErrno(Errno.EEXIST, space.create(ROOT, TOP, bytes("f"), 0644, true, null, 5, 1, 1));
    assertErrno(Errno.EISDIR, space.open(ROOT, 5, TOP, Capability.WRITE, 1));
    assertErrno(Errno.EINVAL, space.open(ROOT, 0, file, Capability.READ, 1));
  }

  @Test
  void shouldRefuseUnknownTypes() {
    assertErrno(Errno.EPERM, space.mknod(ROOT, TOP, bytes("dir"), 0040755, 0, 1));
    assertErrno(Errno.EPERM, space.mknod(ROOT, TOP, bytes("none"), 0030755, 0, 1));
    assertErrno(Errno.EINVAL, space.mknod(ROOT, TOP, bytes("link"), 0120777, 0, 1));
    assertEquals(FileType.SOCKET, value(space.mknod(ALICE, mkdir(TOP, "open", 0777).number(), bytes("socket"), 0140700, 0, 1)).type());
  }

  @Test
  void shouldMakeDevicesForRootAndKeepTheirNumbers() {
    long open = mkdir(TOP, "open", 0777).number();
    Inode block = value(space.mknod(ROOT, open, bytes("block"), 0060640, 0x12345678, 1));
    Inode character = value(space.mknod(ROOT, open, bytes("char"), 0020600, 0x105, 1));
    assertEquals(List.of(FileType.BLOCK, 0x12345678, 0640), List.of(block.type(), block.device(), block.mode()));
    assertErrno(Errno.EPERM, space.mknod(ALICE, open, bytes("other"), 0020600, 0x105, 1));
    assertEquals(0, value(space.mknod(ALICE, open, bytes("whiteout"), 0020000, 0, 1)).device());
    assertEquals(0, value(space.mknod(ROOT, open, bytes("fifo"), 0010600, 0x105, 1)).device());
    assertErrno(Errno.EINVAL, set(ROOT, block.number(), AttributeChange.SIZE, 0, 0, 9));
    space.commit();
    NameSpace later = NameSpace.open(space.store(), NameSpaceSettings.of(4), 2);
    assertEquals(block, value(later.getattr(block.number())));
    assertEquals(character, value(later.lookup(ROOT, open, bytes("char"))));
  }

  @Test
  void shouldLeaveAWhiteoutInThePlaceOfARenamedName() {
    long from = mkdir(TOP, "from", 0777).number();
    long file = create(ALICE, from, "f", 0600).number();
    long over = create(ALICE, from, "over", 0600).number();
    assertErrno(Errno.EINVAL, space.rename(ALICE, from, bytes("f"), from, bytes("over"), NameSpace.RENAME_EXCHANGE | NameSpace.RENAME_WHITEOUT, 1));
    assertErrno(Errno.EEXIST, space.rename(ALICE, from, bytes("f"), from, bytes("over"), NameSpace.RENAME_NOREPLACE | NameSpace.RENAME_WHITEOUT, 1));
    assertErrno(Errno.OK, space.rename(ALICE, from, bytes("f"), from, bytes("over"), NameSpace.RENAME_WHITEOUT, 1));
    assertEquals(file, value(space.lookup(ROOT, from, bytes("over"))).number());
    assertErrno(Errno.ESTALE, space.getattr(over));
    Inode whiteout = value(space.lookup(ROOT, from, bytes("f")));
    assertEquals(List.of(FileType.CHARACTER, 0, 0, ALICE.uid()), List.of(whiteout.type(), whiteout.device(), whiteout.mode(), whiteout.uid()));
    assertErrno(Errno.OK, space.rename(ALICE, from, bytes("over"), from, bytes("new"), NameSpace.RENAME_NOREPLACE | NameSpace.RENAME_WHITEOUT, 1));
    assertEquals(List.of(".", "..", "f", "over", "new").size(), value(space.readdir(ROOT, 0, from, 0, 4096, false)).size());
  }

  private static Caller alice(long capabilities) {
    return new Caller(ALICE.uid(), ALICE.gid(), ALICE.groups(), capabilities);
  }

  @Test
  void shouldDoForACapabilityWhatItDoesForRoot() {
    long closed = mkdir(TOP, "closed", 0700).number();
    long file = create(ROOT, closed, "f", 06600).number();
    assertErrno(Errno.EACCES, space.lookup(ALICE, closed, bytes("f")));
    assertErrno(Errno.OK, space.lookup(alice(Caller.DAC_READ_SEARCH), closed, bytes("f")));
    assertErrno(Errno.OK, space.open(alice(Caller.DAC_READ_SEARCH), 5, file, Capability.READ, 1));
    assertErrno(Errno.EACCES, space.open(alice(Caller.DAC_READ_SEARCH), 5, file, Capability.WRITE, 1));
    assertErrno(Errno.EACCES, space.mkdir(alice(Caller.DAC_READ_SEARCH), closed, bytes("d"), 0700, 1));
    assertErrno(Errno.OK, space.mkdir(alice(Caller.DAC_OVERRIDE), closed, bytes("d"), 0700, 1));
    assertErrno(Errno.EACCES, space.access(alice(Caller.DAC_OVERRIDE), file, NameSpace.EXECUTE));
    assertErrno(Errno.OK, space.open(alice(Caller.DAC_OVERRIDE), 5, file, Capability.WRITE, 1));
    assertErrno(Errno.EPERM, set(alice(Caller.DAC_OVERRIDE), file, AttributeChange.MODE, 0640, 0, 0));
    assertEquals(06640, value(set(alice(Caller.FOWNER | Caller.FSETID), file, AttributeChange.MODE, 06640, 0, 0)).mode());
    assertErrno(Errno.EPERM, set(alice(Caller.FOWNER), file, AttributeChange.UID, 0, 77, 0));
    assertEquals(77, value(set(alice(Caller.CHOWN), file, AttributeChange.UID | AttributeChange.GID, 0, 77, 0)).gid());
    assertErrno(Errno.EPERM, space.setxattr(alice(Caller.DAC_OVERRIDE), file, bytes("trusted.t"), bytes("1"), 0, 1));
    assertErrno(Errno.OK, space.setxattr(alice(Caller.SYS_ADMIN), file, bytes("trusted.t"), bytes("1"), 0, 1));
    assertErrno(Errno.EPERM, space.mknod(alice(Caller.DAC_OVERRIDE), closed, bytes("c"), 0020600, 0x105, 1));
    assertErrno(Errno.OK, space.mknod(alice(Caller.DAC_OVERRIDE | Caller.MKNOD), closed, bytes("c"), 0020600, 0x105, 1));
  }

  @Test
  void shouldKeepSetIdsOfAFileThatACallerWithTheRightToSetThemCuts() {
    long file = create(ALICE, mkdir(TOP, "open", 0777).number(), "f", 0755).number();
    value(set(ROOT, file, AttributeChange.MODE, 06755, 0, 0));
    assertEquals(06755, value(set(alice(Caller.FSETID), file, AttributeChange.SIZE, 0, 0, 9)).mode());
    assertEquals(0755, value(set(ALICE, file, AttributeChange.SIZE, 0, 0, 8)).mode());
  }

  @Test
  void shouldLeaveGroupsThatARequestCannotNameToTheKernel() {
    Caller more = alice(Caller.MORE_GROUPS);
    long open = mkdir(TOP, "open", 0777).number();
    long file = create(BOB, open, "f", 0640).number();
    long hidden = create(BOB, open, "g", 0604).number();
    assertErrno(Errno.EACCES, space.open(ALICE, 5, file, Capability.READ, 1));
    assertErrno(Errno.OK, space.open(more, 5, file, Capability.READ, 1));
    assertErrno(Errno.EACCES, space.open(more, 5, file, Capability.WRITE, 1));
    assertErrno(Errno.OK, space.open(more, 5, hidden, Capability.READ, 1));
    long own = create(ALICE, open, "own", 0640).number();
    assertErrno(Errno.EPERM, set(ALICE, own, AttributeChange.GID, 0, 99, 0));
    assertEquals(99, value(set(more, own, AttributeChange.GID, 0, 99, 0)).gid());
    assertEquals(02755, value(set(more, own, AttributeChange.MODE, 02755, 0, 0)).mode());
  }

  @Test
  void shouldKeepExtendedAttributesApart() {
    long open = mkdir(TOP, "open", 0777).number();
    long file = create(ALICE, open, "f", 0640).number();
    value(space.setxattr(ALICE, file, bytes("user.a"), bytes("1"), NameSpace.XATTR_CREATE, 1));
    assertErrno(Errno.EEXIST, space.setxattr(ALICE, file, bytes("user.a"), bytes("2"), NameSpace.XATTR_CREATE, 1));
    assertErrno(Errno.ENODATA, space.setxattr(ALICE, file, bytes("user.b"), bytes("2"), NameSpace.XATTR_REPLACE, 1));
    assertErrno(Errno.EINVAL, space.setxattr(ALICE, file, bytes("user.b"), bytes("2"), 3, 1));
    assertErrno(Errno.EACCES, space.getxattr(BOB, file, bytes("user.a")));
    assertErrno(Errno.EACCES, space.setxattr(BOB, file, bytes("user.a"), bytes("2"), 0, 1));
    assertErrno(Errno.EPERM, space.setxattr(ALICE, file, bytes("trusted.t"), bytes("2"), 0, 1));
    assertErrno(Errno.EPERM, space.setxattr(ALICE, file, bytes("security.s"), bytes("2"), 0, 1));
    assertErrno(Errno.ENOTSUP, space.setxattr(ROOT, file, bytes("system.posix_acl_access"), bytes("2"), 0, 1));
    assertErrno(Errno.ENOTSUP, space.getxattr(ROOT, file, bytes("system.posix_acl_access")));
    assertErrno(Errno.EINVAL, space.getxattr(ROOT, file, bytes("user.")));
    assertErrno(Errno.ERANGE, space.getxattr(ROOT, file, bytes("user." + "n".repeat(251))));
    assertErrno(Errno.E2BIG, space.setxattr(ROOT, file, bytes("user.big"), new byte[65_537], 0, 1));
    value(space.setxattr(ROOT, file, bytes("trusted.t"), new byte[65_536], 0, 1));
    value(space.setxattr(ROOT, file, bytes("security.s"), new byte[0], 0, 1));
    assertArrayEquals(new byte[0], value(space.getxattr(BOB, file, bytes("security.s"))));
    assertErrno(Errno.ENODATA, space.getxattr(ALICE, file, bytes("trusted.t")));
    assertEquals(List.of("security.s", "user.a"), value(space.listxattr(ALICE, file)).stream().map(Shown::text).toList());
    assertEquals(3, value(space.listxattr(ROOT, file)).size());
    value(space.removexattr(ALICE, file, bytes("user.a"), 1));
    assertErrno(Errno.ENODATA, space.removexattr(ALICE, file, bytes("user.a"), 1));
  }

  @Test
  void shouldBoundTheNamesOfExtendedAttributes() {
    long file = create(ROOT, TOP, "f", 0644).number();
    int set = 0;
    while (space.setxattr(ROOT, file, bytes("user." + "n".repeat(240) + set), new byte[1], 0, 1).isOk()) {
      set++;
    }
    assertErrno(Errno.ENOSPC, space.setxattr(ROOT, file, bytes("user." + "m".repeat(249)), new byte[1], 0, 1));
    assertErrno(Errno.OK, space.setxattr(ROOT, file, bytes("user." + "n".repeat(240) + 0), new byte[2], 0, 1));
    assertEquals(set, value(space.listxattr(ROOT, file)).size());
  }

  @Test
  void shouldBoundLinksAndOpenFiles() {
    space = NameSpace.open(new MemoryDisk("other").open(), new NameSpaceSettings(1, StripingWish.NONE, 3, 2), 1);
    long file = create(ROOT, TOP, "f", 0644).number();
    value(space.link(ROOT, file, TOP, bytes("g"), 1));
    value(space.link(ROOT, file, TOP, bytes("h"), 1));
    assertErrno(Errno.EMLINK, space.link(ROOT, file, TOP, bytes("i"), 1));
    mkdir(TOP, "d", 0755);
    assertErrno(Errno.EMLINK, space.mkdir(ROOT, TOP, bytes("e"), 0755, 1));
    value(space.open(ROOT, 1, file, 1, 1));
    value(space.open(ROOT, 2, file, 1, 1));
    value(space.open(ROOT, 2, file, 1, 1));
    assertErrno(Errno.ENFILE, space.open(ROOT, 3, file, 1, 1));
    assertEquals("daemons of the manager is 0, must be from 1 to 512",
        assertThrows(IllegalArgumentException.class, () -> NameSpaceSettings.of(0)).getMessage());
  }

  @Test
  void shouldRefuseToAddButNotToRemoveOnAFullDisk() {
    create(ROOT, TOP, "f", 0644);
    disk.setFull(true);
    assertErrno(Errno.ENOSPC, space.create(ROOT, TOP, bytes("g"), 0644, true, null, 0, 0, 1));
    assertErrno(Errno.ENOSPC, space.mkdir(ROOT, TOP, bytes("g"), 0644, 1));
    assertErrno(Errno.ENOENT, space.lookup(ROOT, TOP, bytes("g")));
    assertErrno(Errno.EEXIST, space.mkdir(ROOT, TOP, bytes("f"), 0644, 1));
    assertErrno(Errno.EEXIST, space.create(ROOT, TOP, bytes("f"), 0644, true, null, 0, 0, 1));
    assertErrno(Errno.OK, space.create(ROOT, TOP, bytes("f"), 0644, false, null, 7, Capability.WRITE, 1));
    value(space.close(7, value(space.lookup(ROOT, TOP, bytes("f"))).number()));
    assertErrno(Errno.OK, space.unlink(ROOT, TOP, bytes("f"), 1));
    space.commit();
    disk.setFull(false);
    create(ROOT, TOP, "g", 0644);
  }

  @Test
  void shouldUndoABatchThatIsNotWritten() {
    long file = create(ROOT, TOP, "f", 0644).number();
    space.commit();
    List<String> before = Shown.of(space);
    disk.failAfter(0);
    value(space.open(ROOT, 5, file, 1, 1));
    value(space.unlink(ROOT, TOP, bytes("f"), 1));
    create(ROOT, TOP, "g", 0644);
    assertTrue(space.hasChanges());
    assertThrows(StoreException.class, space::commit);
    assertTrue(space.isUsable());
    assertFalse(space.hasChanges());
    assertEquals(before, Shown.of(space));
    assertErrno(Errno.EBADF, space.close(5, file));
  }

  @Test
  void shouldAskForACommitWhenABatchGetsTooLarge() {
    int made = 0;
    while (space.mknod(ROOT, TOP, bytes("n" + made), FileType.FIFO.modeBits(), 0, 1).isOk()) {
      made++;
    }
    assertErrno(Errno.EAGAIN, space.mknod(ROOT, TOP, bytes("next"), FileType.FIFO.modeBits(), 0, 1));
    assertTrue(made > 1000 && made <= Transaction.CHANGES_MAX);
    space.commit();
    assertErrno(Errno.OK, space.mknod(ROOT, TOP, bytes("next"), FileType.FIFO.modeBits(), 0, 1));
  }

  @Test
  void shouldRefuseWhatANewerManagerHasWritten() {
    space.commit();
    disk.crash(0);
    Batch newer = new Batch();
    newer.put(Keys.SUPER, new byte[] {2, 0});
    var store = disk.open();
    store.commit(newer, true);
    assertEquals("metadata of the file system have version 2, but this manager knows only up to 1; start a newer one",
        assertThrows(StoreException.class, () -> NameSpace.open(store, NameSpaceSettings.of(4), 1)).getMessage());
  }

  @Test
  void shouldNeverUseANumberAgain() {
    Set<Long> used = new HashSet<>();
    for (int round = 0; round < 50; round++) {
      assertTrue(used.add(create(ROOT, TOP, "f", 0644).number()));
      value(space.unlink(ROOT, TOP, bytes("f"), 1));
      space.commit();
      restart();
      value(space.endRecovery());
    }
  }
}

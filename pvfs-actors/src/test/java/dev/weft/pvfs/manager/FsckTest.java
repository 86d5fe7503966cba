package dev.weft.pvfs.manager;

import static dev.weft.pvfs.manager.Shown.bytes;
import static dev.weft.pvfs.manager.Shown.value;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.store.Batch;
import dev.weft.pvfs.store.MemoryDisk;
import dev.weft.pvfs.store.MemoryStore;
import dev.weft.pvfs.store.MetadataStore;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.Capability;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each corruption that is planted is found and mended, and what is mended is sound. */
class FsckTest {
  private final MemoryDisk disk = new MemoryDisk("disk");
  private MemoryStore store;
  private long outer;
  private long inner;
  private long file;
  private long twice;
  private long symlink;
  private long orphan;

  @BeforeEach
  void fill() {
    store = disk.open();
    NameSpace space = NameSpace.open(store, NameSpaceSettings.of(2), 1);
    outer = value(space.mkdir(Caller.ROOT, Inode.ROOT, bytes("outer"), 0755, 2)).number();
    inner = value(space.mkdir(Caller.ROOT, outer, bytes("inner"), 0755, 2)).number();
    file = make(space, inner, "file");
    twice = make(space, outer, "twice");
    value(space.link(Caller.ROOT, twice, inner, bytes("again"), 3));
    value(space.setxattr(Caller.ROOT, file, bytes("user.a"), bytes("1"), 0, 3));
    symlink = value(space.symlink(Caller.ROOT, Inode.ROOT, bytes("symlink"), bytes("outer"), 4)).number();
    orphan = make(space, Inode.ROOT, "orphan");
    value(space.open(Caller.ROOT, 7, orphan, Capability.READ, 5));
    value(space.unlink(Caller.ROOT, Inode.ROOT, bytes("orphan"), 5));
    make(space, Inode.ROOT, "gone");
    value(space.unlink(Caller.ROOT, Inode.ROOT, bytes("gone"), 6));
    space.keepAnswer(new KeptAnswer.Place(7, 1), new KeptAnswer(70, MetaOp.UNLINK, null, KeptAnswer.NO_INTENT));
    space.keepAnswer(new KeptAnswer.Place(7, 2), new KeptAnswer(71, MetaOp.CREATE, value(space.getattr(file)), KeptAnswer.NO_INTENT));
    space.commit();
  }

  private static long make(NameSpace space, long parent, String name) {
    return value(space.create(Caller.ROOT, parent, bytes(name), 0644, true, null, 0, 0, 2)).number();
  }

  private void change(Consumer<Batch> change) {
    Batch batch = new Batch();
    change.accept(batch);
    store.commit(batch, true);
  }

  private void changeInode(long number, Consumer<InodeDraft> change) {
    InodeDraft draft = Values.inode(number, store.get(Keys.inode(number))).draft();
    change.accept(draft);
    change(batch -> batch.put(Keys.inode(number), Values.inode(draft.inode())));
  }

  private Entries.Entry entry(long directory, String name) {
    return Values.entry(store.get(Keys.name(directory, bytes(name))));
  }

  /** Plants an entry as rename would make it, but leaves the rest. */
  private void addEntry(long directory, String name, long inode, FileType type) {
    long cookie = Values.inode(directory, store.get(Keys.inode(directory))).nextCookie();
    Entries.Entry entry = new Entries.Entry(inode, type, cookie);
    changeInode(directory, draft -> draft.nextCookie++);
    change(batch -> {
      batch.put(Keys.name(directory, bytes(name)), Values.entry(entry));
      batch.put(Keys.cookie(directory, cookie), Values.cookie(entry, bytes(name)));
    });
  }

  private void removeEntry(long directory, String name) {
    long cookie = entry(directory, name).cookie();
    change(batch -> {
      batch.delete(Keys.name(directory, bytes(name)));
      batch.delete(Keys.cookie(directory, cookie));
    });
  }

  private List<Finding.Kind> kinds() {
    return Fsck.check(store).stream().map(Finding::kind).toList();
  }

  /** Returns what the name space is after the repair. */
  private String assertFoundAndMended(Finding.Kind kind) {
    assertTrue(kinds().contains(kind), kind + " is not among " + Fsck.check(store));
    assertTrue(Fsck.repair(store).stream().anyMatch(finding -> finding.kind() == kind));
    assertEquals(List.of(), kinds());
    List<MetadataStore.Entry> before = store.scan(new byte[0], new byte[0], MetadataStore.SCAN_MAX);
    assertEquals(List.of(), Fsck.repair(store));
    assertEquals(before, store.scan(new byte[0], new byte[0], MetadataStore.SCAN_MAX).stream()
        .map(found -> before.stream().filter(old -> old.key() == found.key() && old.value() == found.value()).findFirst().orElse(found)).toList());
    return String.join("\n", Shown.of(NameSpace.open(store, NameSpaceSettings.of(2), 9)));
  }

  @Test
  void shouldFindNothingInASoundStoreNorInAnEmptyOne() {
    assertEquals(List.of(), kinds());
    assertEquals(List.of(), Fsck.repair(store));
    assertEquals(List.of(), Fsck.check(new MemoryDisk("empty").open()));
  }

  @Test
  void shouldRemoveADanglingEntry() {
    change(batch -> batch.delete(Keys.inode(file)));
    String shown = assertFoundAndMended(Finding.Kind.DANGLING_ENTRY);
    assertFalse(shown.contains("/file"), shown);
  }

  @Test
  void shouldSetWrongLinks() {
    changeInode(twice, draft -> draft.links = 1);
    changeInode(outer, draft -> draft.links = 9);
    assertTrue(assertFoundAndMended(Finding.Kind.WRONG_LINKS).contains("/outer/twice " + twice + " REGULAR 644 0:0 2 "));
  }

  @Test
  void shouldGiveALostFileANameAndKeepItsData() {
    removeEntry(inner, "file");
    String shown = assertFoundAndMended(Finding.Kind.LOST);
    assertTrue(shown.contains("/lost+found/#" + file + " " + file + " REGULAR 644 0:0 1 0 null {user.a=1}"), shown);
    assertFalse(shown.contains("REMOVE " + file), shown);
  }

  @Test
  void shouldGiveALostDirectoryANameWithAllThatIsInIt() {
    removeEntry(Inode.ROOT, "outer");
    String shown = assertFoundAndMended(Finding.Kind.LOST);
    assertTrue(shown.contains("/lost+found/#" + outer + "/inner/file " + file), shown);
  }

  @Test
  void shouldGiveSeveralLostFilesNamesInTheDirectoryThatIsThere() {
    removeEntry(inner, "file");
    Fsck.repair(store);
    removeEntry(Inode.ROOT, "symlink");
    removeEntry(outer, "twice");
    removeEntry(inner, "again");
    String shown = assertFoundAndMended(Finding.Kind.LOST);
    for (long number : List.of(file, twice, symlink)) {
      assertTrue(shown.contains("/lost+found/#" + number + " " + number), shown);
    }
  }

  @Test
  void shouldCutALoop() {
    removeEntry(Inode.ROOT, "outer");
    addEntry(inner, "loop", outer, FileType.DIRECTORY);
    changeInode(outer, draft -> draft.parent = inner);
    String shown = assertFoundAndMended(Finding.Kind.LOOP);
    assertTrue(shown.contains("/inner/file " + file) || shown.contains("/#" + inner + "/file " + file), shown);
    assertTrue(shown.contains("/twice " + twice), shown);
  }

  @Test
  void shouldSetAWrongParent() {
    changeInode(inner, draft -> draft.parent = Inode.ROOT);
    assertFoundAndMended(Finding.Kind.WRONG_PARENT);
    assertEquals(outer, Values.inode(inner, store.get(Keys.inode(inner))).parent());
  }

  @Test
  void shouldRemoveASecondNameOfADirectory() {
    addEntry(Inode.ROOT, "second", inner, FileType.DIRECTORY);
    assertFalse(assertFoundAndMended(Finding.Kind.SECOND_NAME).contains("/second"));
  }

  @Test
  void shouldSetAWrongType() {
    Entries.Entry old = entry(inner, "file");
    Entries.Entry wrong = new Entries.Entry(old.inode(), FileType.FIFO, old.cookie());
    change(batch -> {
      batch.put(Keys.name(inner, bytes("file")), Values.entry(wrong));
      batch.put(Keys.cookie(inner, old.cookie()), Values.cookie(wrong, bytes("file")));
    });
    assertFoundAndMended(Finding.Kind.WRONG_TYPE);
  }

  @Test
  void shouldListWhatIsThereAndNothingElse() {
    Entries.Entry file1 = entry(inner, "file");
    change(batch -> batch.delete(Keys.cookie(inner, file1.cookie())));
    assertTrue(assertFoundAndMended(Finding.Kind.WRONG_LIST).contains("/outer/inner/file " + file));
    change(batch -> batch.put(Keys.cookie(inner, 3000), Values.cookie(file1, bytes("ghost"))));
    assertFalse(assertFoundAndMended(Finding.Kind.WRONG_LIST).contains("ghost"));
    Entries.Entry same = new Entries.Entry(file, FileType.REGULAR, entry(inner, "again").cookie());
    change(batch -> batch.put(Keys.name(inner, bytes("file")), Values.entry(same)));
    assertTrue(assertFoundAndMended(Finding.Kind.WRONG_LIST).contains("/outer/inner/file " + file));
  }

  @Test
  void shouldSetCountersAndCounts() {
    SuperBlock old = Values.superBlock(store.get(Keys.SUPER));
    change(batch -> batch.put(Keys.SUPER, Values.superBlock(new SuperBlock(3, 1, 0, old.commits(), old.inodes(), old.intents(), old.orphans()))));
    assertFoundAndMended(Finding.Kind.COUNTER);
    change(batch -> batch.put(Keys.SUPER, Values.superBlock(old.inodeRemoved().orphans(5))));
    assertFoundAndMended(Finding.Kind.WRONG_COUNTS);
    changeInode(inner, draft -> draft.nextCookie = 3);
    assertFoundAndMended(Finding.Kind.COUNTER);
  }

  @Test
  void shouldRemoveWhatBelongsToNothing() {
    change(batch -> batch.put(Keys.xattr(4711, bytes("user.a")), Values.bytes(bytes("1"))));
    assertFoundAndMended(Finding.Kind.LEFTOVER);
    change(batch -> batch.put(Keys.target(4711), Values.bytes(bytes("1"))));
    assertFoundAndMended(Finding.Kind.LEFTOVER);
    change(batch -> batch.put(Keys.name(4711, bytes("n")), Values.entry(new Entries.Entry(file, FileType.REGULAR, 3))));
    assertFoundAndMended(Finding.Kind.LEFTOVER);
  }

  @Test
  void shouldRemoveASymbolicLinkWithoutATarget() {
    change(batch -> batch.delete(Keys.target(symlink)));
    assertFalse(assertFoundAndMended(Finding.Kind.NO_TARGET).contains("/symlink"));
  }

  @Test
  void shouldKeepDataThatAnIntentWouldRemoveByMistake() {
    Striping striping = new Striping(0, 2, 65_536, 2);
    change(batch -> batch.put(Keys.intent(50), Values.intent(new Intent(50, Intent.Kind.REMOVE, file, striping, 0))));
    assertFalse(assertFoundAndMended(Finding.Kind.NEEDLESS_INTENT).contains("REMOVE " + file));
    change(batch -> batch.put(Keys.intent(60), Values.intent(new Intent(60, Intent.Kind.TRUNCATE, 4711, striping, 0))));
    assertFalse(assertFoundAndMended(Finding.Kind.NEEDLESS_INTENT).contains("TRUNCATE 4711"));
  }

  @Test
  void shouldRemoveARecordOfAnOpenFileThatHasANameOrIsGone() {
    for (long number : List.of(file, 4711L)) {
      change(batch -> batch.put(Keys.orphan(number), store.get(Keys.orphan(orphan))));
      assertFoundAndMended(Finding.Kind.NEEDLESS_ORPHAN);
    }
    change(batch -> batch.delete(Keys.orphan(orphan)));
    assertTrue(assertFoundAndMended(Finding.Kind.LOST).contains("/lost+found/#" + orphan));
  }

  @Test
  void shouldMakeARootAndKeepTheRest() {
    change(batch -> batch.delete(Keys.inode(Inode.ROOT)));
    assertTrue(assertFoundAndMended(Finding.Kind.NO_ROOT).contains("/inner/file " + file));
  }

  @Test
  void shouldRemoveARecordThatCannotBeRead() {
    change(batch -> batch.put(Keys.inode(file), new byte[] {1, 2}));
    assertFoundAndMended(Finding.Kind.DAMAGED);
    change(batch -> batch.put(new byte[] {'D', 1}, new byte[] {1}));
    assertFoundAndMended(Finding.Kind.DAMAGED);
    change(batch -> batch.put(Keys.SUPER, new byte[0]));
    assertFoundAndMended(Finding.Kind.DAMAGED);
  }

  @Test
  void shouldRemoveAKeptAnswerThatCannotBeReadAndKeepTheOthers() {
    byte[] good = store.get(Keys.answer(7, 2));
    List<byte[]> wrong = List.of(new byte[0], new byte[] {1, 0, 0}, Arrays.copyOf(good, good.length - 1), changed(good, 9, MetaOp.GETATTR.ordinal()),
        changed(good, 9, 99), changed(good, 10, 0x80), changed(good, 18, 0x80), changed(good, 26, 77), Arrays.copyOf(store.get(Keys.answer(7, 1)), 40));
    for (byte[] value : wrong) {
      change(batch -> batch.put(Keys.answer(7, 2), value));
      assertFoundAndMended(Finding.Kind.DAMAGED);
      assertNull(store.get(Keys.answer(7, 2)));
    }
    for (byte[] key : List.of(Keys.answer(7, -1), Keys.answer(7, MetaRequest.SLOTS), Keys.answer(0, 1), Keys.answers(7), Keys.after(Keys.answer(7, 3)))) {
      change(batch -> batch.put(key, good));
      assertFoundAndMended(Finding.Kind.DAMAGED);
      assertNull(store.get(key));
    }
    assertNotNull(store.get(Keys.answer(7, 1)));
    change(batch -> batch.put(Keys.answer(7, 2), changed(good, 0, Values.VERSION + 1)));
    assertThrows(StoreException.class, () -> Fsck.repair(store));
  }

  private static byte[] changed(byte[] value, int at, int to) {
    byte[] other = value.clone();
    other[at] = (byte) to;
    return other;
  }

  /** Who asks again for a file that it has made would open the other one. */
  @Test
  void shouldGiveNoNumberAgainThatAKeptAnswerHas() {
    KeptAnswer gone = new KeptAnswer(72, MetaOp.CREATE, new InodeDraft(900, FileType.REGULAR).inode(), 800);
    change(batch -> batch.put(Keys.answer(7, 3), Values.answer(gone)));
    assertFoundAndMended(Finding.Kind.COUNTER);
    SuperBlock block = Values.superBlock(store.get(Keys.SUPER));
    assertEquals(901, block.nextInode());
    assertEquals(801, block.nextIntent());
  }

  @Test
  void shouldTouchNothingOfANewerManager() {
    change(batch -> batch.put(Keys.inode(file), new byte[] {2, 2}));
    assertEquals("metadata of record 490000000000000004 have version 2, but this manager knows only up to 1; start a newer one",
        assertThrows(StoreException.class, () -> Fsck.repair(store)).getMessage());
  }

  /** Records lost, doubled and cut at random: whatever that makes, repair ends with a sound store that can be used. */
  @Test
  void shouldMendWhateverChanceDoes() {
    List<MetadataStore.Entry> all = store.scan(new byte[0], new byte[0], MetadataStore.SCAN_MAX);
    for (long seed = 1; seed <= 400; seed++) {
      MemoryDisk damaged = new MemoryDisk("damaged");
      MemoryStore copy = damaged.open();
      Batch batch = new Batch();
      all.forEach(entry -> batch.put(entry.key(), entry.value()));
      damage(new Random(seed), new ArrayList<>(all), batch);
      copy.commit(batch, true);
      try {
        Fsck.repair(copy);
        assertEquals(List.of(), Fsck.check(copy));
        NameSpace space = NameSpace.open(copy, NameSpaceSettings.of(2), 9);
        Shown.of(space);
        make(space, Inode.ROOT, "new");
        space.commit();
        assertEquals(List.of(), Fsck.check(copy));
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e, e);
      }
    }
  }

  private static void damage(Random random, List<MetadataStore.Entry> all, Batch batch) {
    for (int time = 1 + random.nextInt(4); time > 0; time--) {
      MetadataStore.Entry entry = all.get(random.nextInt(all.size()));
      switch (random.nextInt(3)) {
        case 0 -> batch.delete(entry.key());
        case 1 -> {
          byte[] cut = entry.value().clone();
          cut[1 + random.nextInt(cut.length - 1)] ^= (byte) (1 << random.nextInt(8));
          batch.put(entry.key(), cut);
        }
        default -> {
          MetadataStore.Entry other = all.get(random.nextInt(all.size()));
          if (other.key()[0] == entry.key()[0]) {
            batch.put(entry.key(), other.value());
          }
        }
      }
    }
  }

  @Test
  void shouldRemoveAMarkOfALengthOfAFileThatIsNotThere() {
    change(batch -> batch.put(Keys.length(4711), Values.bytes(new byte[0])));
    assertEquals(List.of(Finding.Kind.LEFTOVER), Fsck.check(store).stream().map(Finding::kind).toList());
    assertEquals(1, Fsck.repair(store).size());
    assertTrue(Fsck.check(store).isEmpty());
  }
}

package dev.weft.pvfs.manager;

import dev.weft.pvfs.manager.Finding.Kind;
import dev.weft.pvfs.store.Batch;
import dev.weft.pvfs.store.MetadataStore;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Finds errors that show in one record, or in two related ones. */
final class RecordChecks {
  private final Image image;
  private final List<Finding> findings;

  RecordChecks(Image image, List<Finding> findings) {
    this.image = image;
    this.findings = findings;
  }

  void run() {
    damaged();
    counters();
    entries();
    lists();
    leftovers();
    targets();
    orphans();
    intents();
    counts();
  }

  private void find(Kind kind, String text, Finding.Fix fix) {
    findings.add(new Finding(kind, text, fix));
  }

  private static String show(Image.Name name) {
    return "entry '" + new String(name.name(), StandardCharsets.UTF_8) + "' of directory " + name.directory();
  }

  private void damaged() {
    for (Image.Damaged record : image.damaged) {
      find(Kind.DAMAGED, "record " + HexFormat.of().formatHex(record.key()) + ": " + record.why() + "; removed", batch -> {
        batch.delete(record.key());
        if (MetadataStore.hasPrefix(record.key(), Keys.INODES) && record.key().length == Keys.inode(0).length) {
          doubt(Keys.number(record.key()), batch);
        }
      });
    }
    if (!image.isDirectory(Inode.ROOT)) {
      InodeDraft root = new InodeDraft(Inode.ROOT, FileType.DIRECTORY);
      root.mode = 0700;
      root.links = 2;
      root.parent = Inode.ROOT;
      root.nextCookie = lastCookies().getOrDefault(Inode.ROOT, Entries.DOT_DOT_COOKIE) + 1;
      find(Kind.NO_ROOT, "there is no root directory; an empty one is made", batch -> batch.put(Keys.inode(Inode.ROOT), Values.inode(root.inode())));
    }
  }

  /** Marks the inode, so that its objects at daemons are not removed as those of a file that never existed. */
  private static void doubt(long inode, Batch batch) {
    batch.put(Keys.doubted(inode), Values.nothing());
  }

  /** Checks the counters: used numbers must never be given again. */
  private void counters() {
    long inode = Math.max(image.block.nextInode(), (image.inodes.isEmpty() ? 0 : image.inodes.lastKey()) + 1);
    for (Intent intent : image.intents.values()) {
      inode = Math.max(inode, intent.inode() + 1);
    }
    for (Image.Name name : image.names) {
      inode = Math.max(inode, name.entry().inode() + 1);
    }
    long intent = Math.max(image.block.nextIntent(), (image.intents.isEmpty() ? 0 : image.intents.lastKey()) + 1);
    for (KeptAnswer answer : image.answers.values()) { // Otherwise a repeated request would open another file, or wait for another cut.
      inode = Math.max(inode, answer.inode() == null ? 0 : answer.inode().number() + 1);
      intent = Math.max(intent, answer.intent() + 1);
    }
    SuperBlock old = image.block;
    if (inode != old.nextInode() || intent != old.nextIntent()) {
      SuperBlock mended = new SuperBlock(inode, intent, old.nextBase(), old.commits(), old.inodes(), old.intents(), old.orphans());
      find(Kind.COUNTER, "the next inode and intent are " + old.nextInode() + " and " + old.nextIntent() + ", have to be at least " + inode + " and "
          + intent + "; set", batch -> batch.put(Keys.SUPER, Values.superBlock(mended)));
    }
    lastCookies().forEach(this::cookieCounter);
  }

  private Map<Long, Long> lastCookies() {
    Map<Long, Long> last = new HashMap<>();
    image.names.forEach(name -> last.merge(name.directory(), name.entry().cookie(), Math::max));
    image.listed.forEach(name -> last.merge(name.directory(), name.entry().cookie(), Math::max));
    return last;
  }

  private void cookieCounter(long directory, long last) {
    Inode inode = image.inodes.get(directory);
    if (inode != null && inode.isDirectory() && inode.nextCookie() <= last) {
      InodeDraft draft = inode.draft();
      draft.nextCookie = last + 1;
      find(Kind.COUNTER, "the next place of directory " + directory + " is " + inode.nextCookie() + ", but " + last + " is taken; set",
          batch -> batch.put(Keys.inode(directory), Values.inode(draft.inode())));
    }
  }

  private void entries() {
    for (Image.Name name : image.names) {
      Inode inode = image.inodes.get(name.entry().inode());
      byte[] key = Keys.name(name.directory(), name.name());
      if (!image.isDirectory(name.directory())) {
        find(Kind.LEFTOVER, show(name) + ", which is not there; removed", batch -> batch.delete(key));
      } else if (inode == null) {
        find(Kind.DANGLING_ENTRY, show(name) + " leads to inode " + name.entry().inode() + ", which is not there; removed", batch -> {
          batch.delete(key);
          doubt(name.entry().inode(), batch);
        });
      } else if (inode.type() != name.entry().type()) {
        Entries.Entry mended = new Entries.Entry(inode.number(), inode.type(), name.entry().cookie());
        find(Kind.WRONG_TYPE, show(name) + " says " + name.entry().type() + " of a " + inode.type() + "; set", batch -> batch.put(key, Values.entry(mended)));
      }
    }
  }

  /** Checks the lists of directories. The names are authoritative; the list follows them. */
  private void lists() {
    Map<byte[], byte[]> right = new TreeMap<>(Arrays::compareUnsigned);
    for (Image.Name name : image.names) {
      byte[] key = Keys.cookie(name.directory(), name.entry().cookie());
      if (right.putIfAbsent(key, Values.cookie(name.entry(), name.name())) != null) {
        moveToFreePlace(name);
      }
    }
    Set<byte[]> seen = new TreeSet<>(Arrays::compareUnsigned);
    for (Image.Name name : image.listed) {
      byte[] key = Keys.cookie(name.directory(), name.entry().cookie());
      if (Arrays.equals(right.get(key), Values.cookie(name.entry(), name.name()))) {
        seen.add(key);
      } else {
        find(Kind.WRONG_LIST, show(name) + " is listed, but no such name is there; removed", batch -> batch.delete(key));
      }
    }
    right.forEach((key, value) -> {
      if (!seen.contains(key)) {
        find(Kind.WRONG_LIST, "a name of directory " + Keys.number(key) + " is not listed; added", batch -> batch.put(key, value));
      }
    });
  }

  private void moveToFreePlace(Image.Name name) {
    Inode directory = image.inodes.get(name.directory());
    if (directory != null && directory.isDirectory()) {
      InodeDraft draft = directory.draft();
      Entries.Entry moved = new Entries.Entry(name.entry().inode(), name.entry().type(), draft.nextCookie++);
      find(Kind.WRONG_LIST, show(name) + " has the place of another; moved", batch -> {
        batch.put(Keys.name(name.directory(), name.name()), Values.entry(moved));
        batch.put(Keys.inode(name.directory()), Values.inode(draft.inode()));
      });
    }
  }

  private void leftovers() {
    for (byte[] key : image.xattrs) {
      leftover(key, "an extended attribute");
    }
    image.lengths.forEach(number -> leftover(Keys.length(number), "a mark that the length is open"));
    image.targets.forEach(number -> leftover(Keys.target(number), "the target of a symbolic link"));
  }

  private void leftover(byte[] key, String what) {
    if (!image.inodes.containsKey(Keys.number(key))) {
      find(Kind.LEFTOVER, what + " of inode " + Keys.number(key) + ", which is not there; removed", batch -> batch.delete(key));
    }
  }

  private void targets() {
    Set<Long> targets = new HashSet<>(image.targets);
    for (Inode inode : image.inodes.values()) {
      if (inode.type() == FileType.SYMLINK && !targets.contains(inode.number())) {
        find(Kind.NO_TARGET, "symbolic link " + inode.number() + " has no target; removed", batch -> batch.delete(Keys.inode(inode.number())));
      }
    }
  }

  private void orphans() {
    for (long number : image.orphans) {
      boolean needless = !image.inodes.containsKey(number) || !image.namesOf(number).isEmpty();
      if (needless) {
        find(Kind.NEEDLESS_ORPHAN, "inode " + number + " is recorded as open without a name, but " + (image.inodes.containsKey(number) ? "has one"
            : "is not there") + "; removed", batch -> batch.delete(Keys.orphan(number)));
      }
    }
  }

  private void intents() {
    for (Intent intent : image.intents.values()) {
      boolean isThere = image.inodes.containsKey(intent.inode());
      boolean removes = intent.kind() == Intent.Kind.REMOVE;
      if (removes && isThere) {
        find(Kind.NEEDLESS_INTENT, "intent " + intent.id() + " would remove the data of inode " + intent.inode() + ", which is there; removed",
            batch -> batch.delete(Keys.intent(intent.id())));
      } else if (!removes && !isThere && image.intents.tailMap(intent.id(), false).values().stream().noneMatch(later -> later.inode() == intent.inode())) {
        find(Kind.NEEDLESS_INTENT, "intent " + intent.id() + " would truncate inode " + intent.inode() + ", which is not there; removed",
            batch -> batch.delete(Keys.intent(intent.id())));
      }
    }
  }

  private void counts() {
    SuperBlock old = image.block;
    SuperBlock right = new SuperBlock(old.nextInode(), old.nextIntent(), old.nextBase(), old.commits(), image.inodes.size(), image.intents.size(),
        image.orphans.size());
    if (!right.equals(old)) {
      find(Kind.WRONG_COUNTS, "counts of inodes, intents and orphans are " + old.inodes() + ", " + old.intents() + " and " + old.orphans() + ", have to be "
          + right.inodes() + ", " + right.intents() + " and " + right.orphans() + "; set", batch -> batch.put(Keys.SUPER, Values.superBlock(right)));
    }
  }
}

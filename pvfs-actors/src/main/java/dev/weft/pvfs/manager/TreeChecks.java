package dev.weft.pvfs.manager;

import dev.weft.pvfs.manager.Finding.Kind;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds errors that show only in the whole tree. Only names that lead to an inode count; other names are errors of their own. */
final class TreeChecks {
  private final Image image;
  private final List<Finding> findings;
  private final LostAndFound lostAndFound;
  private final Set<Long> orphans;

  TreeChecks(Image image, List<Finding> findings) {
    this.image = image;
    this.findings = findings;
    lostAndFound = new LostAndFound(image);
    orphans = new HashSet<>(image.orphans);
  }

  void run() {
    Map<Long, Integer> subdirectories = subdirectories();
    for (Inode inode : image.inodes.values()) {
      if (inode.isDirectory()) {
        names(inode);
        parent(inode);
      }
      lost(inode);
      links(inode, subdirectories.getOrDefault(inode.number(), 0));
    }
    loops();
  }

  private Map<Long, Integer> subdirectories() {
    Map<Long, Integer> found = new HashMap<>();
    image.names.stream().filter(name -> image.isDirectory(name.entry().inode())).forEach(name -> found.merge(name.directory(), 1, Integer::sum));
    return found;
  }

  private void find(Kind kind, String text, Finding.Fix fix) {
    findings.add(new Finding(kind, text, fix));
  }

  /** Of several names of a directory, keeps the one in the directory that it records as its parent. */
  private void names(Inode directory) {
    List<Image.Name> names = image.namesOf(directory.number());
    Image.Name kept = directory.number() == Inode.ROOT || names.isEmpty() ? null
        : names.stream().filter(name -> name.directory() == directory.parent()).findFirst().orElse(names.getFirst());
    for (Image.Name name : names) {
      if (name != kept) {
        find(Kind.SECOND_NAME, "directory " + directory.number() + " has another name in directory " + name.directory() + "; removed",
            batch -> batch.delete(Keys.name(name.directory(), name.name())));
      }
    }
  }

  private void parent(Inode directory) {
    List<Image.Name> names = image.namesOf(directory.number());
    long right = directory.number() == Inode.ROOT ? Inode.ROOT : names.size() == 1 ? names.getFirst().directory() : directory.parent();
    if (right != directory.parent()) {
      InodeDraft draft = directory.draft();
      draft.parent = right;
      find(Kind.WRONG_PARENT, "directory " + directory.number() + " is in " + right + ", but says " + directory.parent() + "; set",
          batch -> batch.put(Keys.inode(directory.number()), Values.inode(draft.inode())));
    }
  }

  private boolean isUnnamed(Inode inode) {
    return image.namesOf(inode.number()).isEmpty() && inode.number() != Inode.ROOT;
  }

  private void lost(Inode inode) {
    if (isUnnamed(inode) && !orphans.contains(inode.number()) && image.isDirectory(Inode.ROOT)) {
      find(Kind.LOST, inode.type() + " " + inode.number() + " has no name, and nobody has it open; put into lost+found",
          batch -> lostAndFound.add(inode, batch));
    }
  }

  private void links(Inode inode, int subdirectories) {
    int right = isUnnamed(inode) ? 0 : inode.isDirectory() ? 2 + subdirectories : image.namesOf(inode.number()).size();
    if (right != inode.links()) {
      InodeDraft draft = inode.draft();
      draft.links = right;
      find(Kind.WRONG_LINKS, inode.type() + " " + inode.number() + " has " + inode.links() + " links, has to have " + right + "; set",
          batch -> batch.put(Keys.inode(inode.number()), Values.inode(draft.inode())));
    }
  }

  /** Finds directories that have names but are not reachable from the root or from a directory without a name. */
  private void loops() {
    Map<Long, Set<Long>> children = new HashMap<>();
    image.names.stream().filter(name -> image.isDirectory(name.entry().inode()))
        .forEach(name -> children.computeIfAbsent(name.directory(), directory -> new HashSet<>()).add(name.entry().inode()));
    Set<Long> reached = new HashSet<>();
    image.inodes.values().stream().filter(inode -> inode.isDirectory() && (inode.number() == Inode.ROOT || isUnnamed(inode)))
        .forEach(inode -> reach(inode.number(), children, reached));
    for (Inode inode : image.inodes.values()) {
      if (inode.isDirectory() && !reached.contains(inode.number()) && image.namesOf(inode.number()).stream().allMatch(name -> isThere(name))) {
        cut(inode);
        reach(inode.number(), children, reached);
      }
    }
  }

  private boolean isThere(Image.Name name) {
    return image.isDirectory(name.directory());
  }

  private void cut(Inode directory) {
    find(Kind.LOOP, "directory " + directory.number() + " is below itself; its name is removed",
        batch -> image.namesOf(directory.number()).forEach(name -> batch.delete(Keys.name(name.directory(), name.name()))));
  }

  private static void reach(long from, Map<Long, Set<Long>> children, Set<Long> reached) {
    Deque<Long> left = new ArrayDeque<>(List.of(from));
    while (!left.isEmpty()) {
      long number = left.pop();
      if (reached.add(number)) {
        left.addAll(children.getOrDefault(number, Set.of()));
      }
    }
  }
}

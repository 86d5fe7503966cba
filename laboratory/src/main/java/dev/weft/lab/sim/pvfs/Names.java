package dev.weft.lab.sim.pvfs;

import dev.weft.pvfs.Errno;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A possible state of a name space with a few directories: names, each with its directory, and their objects. A negative number is one that no client
 * knows.
 */
record Names(Map<String, Long> files, Map<String, Long> directories) {
  static final Names EMPTY = new Names(Map.of(), Map.of());

  /** The states after an operation; empty if the operation cannot have had this answer. */
  List<Names> after(NameHistory.Op op, int index, boolean isOptional, int errno, Set<String> listed) {
    if (isOptional) {
      Names next = changed(op, op.inode != 0 && op.kind == OpKind.LINK ? op.inode : -1 - index);
      return next == null ? List.of() : List.of(next);
    }
    return switch (op.kind) {
      case LOOKUP -> found(op, errno);
      case LIST -> here(op.name).equals(listed) ? List.of(this) : List.of();
      default -> {
        int expected = refusal(op);
        Names next = errno != expected ? null : errno == Errno.OK ? changed(op, op.inode) : this;
        yield next == null ? List.of() : List.of(next);
      }
    };
  }

  private boolean has(String name) {
    return files.containsKey(name) || directories.containsKey(name);
  }

  private Set<String> here(String directory) {
    return Stream.concat(files.keySet().stream(), directories.keySet().stream()).filter(name -> name.startsWith(directory))
        .map(name -> name.substring(directory.length())).collect(Collectors.toSet());
  }

  private List<Names> found(NameHistory.Op op, int errno) {
    Long number = files.getOrDefault(op.name, directories.get(op.name));
    if (number == null || errno != Errno.OK) {
      return number == null && errno == Errno.ENOENT ? List.of(this) : List.of();
    }
    if (number == op.inode) {
      return List.of(this);
    }
    boolean isKnown = files.containsValue(op.inode) || directories.containsValue(op.inode);
    return number < 0 && !isKnown ? List.of(renumbered(number, op.inode)) : List.of();
  }

  private Names renumbered(long from, long to) {
    return new Names(renumbered(files, from, to), renumbered(directories, from, to));
  }

  private static Map<String, Long> renumbered(Map<String, Long> of, long from, long to) {
    Map<String, Long> all = new TreeMap<>(of);
    all.replaceAll((name, number) -> number == from ? to : number);
    return all;
  }

  private int refusal(NameHistory.Op op) {
    return switch (op.kind) {
      case CREATE, MKDIR -> has(op.name) ? Errno.EEXIST : Errno.OK;
      case LINK -> has(op.name) ? Errno.EEXIST : linkRefusal(op);
      case UNLINK -> directories.containsKey(op.name) ? Errno.EISDIR : files.containsKey(op.name) ? Errno.OK : Errno.ENOENT;
      case RMDIR -> files.containsKey(op.name) ? Errno.ENOTDIR : directories.containsKey(op.name) ? Errno.OK : Errno.ENOENT;
      case RENAME -> renameRefusal(op);
      default -> throw new IllegalStateException(op + " changes no names");
    };
  }

  /** A file without a name is gone, or exists because it is open. */
  private int linkRefusal(NameHistory.Op op) {
    return files.containsValue(op.inode) ? Errno.OK : Errno.ENOENT;
  }

  private int renameRefusal(NameHistory.Op op) {
    boolean isExchange = op.flags == 2;
    if (!has(op.name) || isExchange && !has(op.newName)) {
      return Errno.ENOENT;
    }
    if (op.flags == 1 && has(op.newName)) {
      return Errno.EEXIST;
    }
    boolean isSame = op.name.equals(op.newName) || files.containsKey(op.name) && files.get(op.name).equals(files.get(op.newName));
    if (!isSame && !isExchange && has(op.newName) && directories.containsKey(op.name) != directories.containsKey(op.newName)) {
      return directories.containsKey(op.name) ? Errno.ENOTDIR : Errno.EISDIR;
    }
    return Errno.OK;
  }

  /** Null if the operation is refused. */
  private Names changed(NameHistory.Op op, long number) {
    if (refusal(op) != Errno.OK) {
      return null;
    }
    Map<String, Long> newFiles = new TreeMap<>(files);
    Map<String, Long> newDirectories = new TreeMap<>(directories);
    switch (op.kind) {
      case CREATE, LINK -> newFiles.put(op.name, number);
      case MKDIR -> newDirectories.put(op.name, number);
      case UNLINK -> newFiles.remove(op.name);
      case RMDIR -> newDirectories.remove(op.name);
      case RENAME -> rename(op, newFiles, newDirectories);
      default -> throw new IllegalStateException(op + " changes no names");
    }
    return new Names(newFiles, newDirectories);
  }

  private void rename(NameHistory.Op op, Map<String, Long> newFiles, Map<String, Long> newDirectories) {
    if (op.name.equals(op.newName) || files.containsKey(op.name) && files.get(op.name).equals(files.get(op.newName))) {
      return;
    }
    Long file = newFiles.remove(op.name);
    Long directory = newDirectories.remove(op.name);
    Long oldFile = newFiles.remove(op.newName);
    Long oldDirectory = newDirectories.remove(op.newName);
    put(op.newName, file, directory, newFiles, newDirectories);
    if (op.flags == 2) {
      put(op.name, oldFile, oldDirectory, newFiles, newDirectories);
    }
  }

  private static void put(String name, Long file, Long directory, Map<String, Long> files, Map<String, Long> directories) {
    if (file != null) {
      files.put(name, file);
    } else if (directory != null) {
      directories.put(name, directory);
    }
  }
}

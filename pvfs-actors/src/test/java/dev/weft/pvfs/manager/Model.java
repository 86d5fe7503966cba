package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Caller;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a name space has to do, told a second time and as simply as can be: maps of nodes, names as text. It only has to be told the numbers of inodes. */
final class Model {
  /** A file. */
  static final class Node {
    final long number;
    final FileType type;
    int mode;
    int uid;
    int gid;
    int links = 1;
    long size;
    long parent;
    String target;
    final TreeMap<String, Long> children = new TreeMap<>();
    final TreeMap<String, String> xattrs = new TreeMap<>();
    final TreeMap<Long, Integer> opens = new TreeMap<>();

    Node(long number, FileType type) {
      this.number = number;
      this.type = type;
    }

    boolean isDirectory() {
      return type == FileType.DIRECTORY;
    }

    Node copy() {
      Node copy = new Node(number, type);
      copy.mode = mode;
      copy.uid = uid;
      copy.gid = gid;
      copy.links = links;
      copy.size = size;
      copy.parent = parent;
      copy.target = target;
      copy.children.putAll(children);
      copy.xattrs.putAll(xattrs);
      copy.opens.putAll(opens);
      return copy;
    }
  }

  /** An operation that is refused. */
  static final class No extends RuntimeException {
    private static final long serialVersionUID = 1;
    final int errno;

    No(int errno) {
      this.errno = errno;
    }
  }

  final TreeMap<Long, Node> nodes = new TreeMap<>();
  final List<String> intents = new ArrayList<>();
  boolean recovering;

  static Model fresh() {
    Model model = new Model();
    Node root = new Node(1, FileType.DIRECTORY);
    root.mode = 0755;
    root.links = 2;
    root.parent = 1;
    model.nodes.put(1L, root);
    return model;
  }

  Model copy() {
    Model copy = new Model();
    nodes.forEach((number, node) -> copy.nodes.put(number, node.copy()));
    copy.intents.addAll(intents);
    copy.recovering = recovering;
    return copy;
  }

  /** What is left of it by a crash of the manager: nobody knows who has what open, but of what has no name. */
  void crash() {
    nodes.values().stream().filter(node -> node.links > 0).forEach(node -> node.opens.clear());
    recovering = true;
  }

  private static void must(boolean good, int errno) {
    if (!good) {
      throw new No(errno);
    }
  }

  private Node node(long number) {
    must(nodes.containsKey(number), Errno.ESTALE);
    return nodes.get(number);
  }

  private Node dir(long number) {
    Node node = node(number);
    must(node.isDirectory(), Errno.ENOTDIR);
    return node;
  }

  private static boolean may(Caller who, Node node, int bits) {
    if (who.uid() == 0) {
      return true;
    }
    int rights = who.uid() == node.uid ? node.mode >> 6 : who.gid() == node.gid ? node.mode >> 3 : node.mode;
    return (rights & bits) == bits;
  }

  private Node search(Caller who, long directory) {
    Node dir = dir(directory);
    must(may(who, dir, 1), Errno.EACCES);
    return dir;
  }

  private static void mayAdd(Caller who, Node dir) {
    must(dir.links > 0, Errno.ENOENT);
    must(may(who, dir, 3), Errno.EACCES);
  }

  private static void mayTake(Caller who, Node dir, Node node) {
    must(may(who, dir, 3), Errno.EACCES);
    must((dir.mode & 01000) == 0 || who.uid() == 0 || who.uid() == dir.uid || who.uid() == node.uid, Errno.EPERM);
  }

  Node lookup(Caller who, long directory, String name) {
    Node dir = search(who, directory);
    must(dir.children.containsKey(name), Errno.ENOENT);
    return nodes.get(dir.children.get(name));
  }

  void checkMake(Caller who, long directory, String name) {
    Node dir = search(who, directory);
    must(!dir.children.containsKey(name), Errno.EEXIST);
    mayAdd(who, dir);
  }

  Node make(Caller who, long directory, String name, FileType type, int mode, long number) {
    Node dir = dir(directory);
    Node made = new Node(number, type);
    boolean inherits = (dir.mode & 02000) != 0;
    made.uid = who.uid();
    made.gid = inherits ? dir.gid : who.gid();
    made.mode = mode;
    if (inherits && type == FileType.DIRECTORY) {
      made.mode |= 02000;
    } else if (type != FileType.DIRECTORY && who.uid() != 0 && who.gid() != made.gid) {
      made.mode &= ~02000;
    }
    if (type == FileType.DIRECTORY) {
      made.links = 2;
      made.parent = directory;
      dir.links++;
    }
    nodes.put(number, made);
    dir.children.put(name, number);
    return made;
  }

  Node link(Caller who, long number, long directory, String name) {
    Node node = node(number);
    checkMake(who, directory, name);
    must(!node.isDirectory(), Errno.EPERM);
    must(node.links > 0, Errno.ENOENT);
    node.links++;
    dir(directory).children.put(name, number);
    return node;
  }

  void unlink(Caller who, long directory, String name) {
    Node node = lookup(who, directory, name);
    mayTake(who, dir(directory), node);
    must(!node.isDirectory(), Errno.EISDIR);
    dir(directory).children.remove(name);
    drop(node);
  }

  void rmdir(Caller who, long directory, String name) {
    Node node = lookup(who, directory, name);
    mayTake(who, dir(directory), node);
    must(node.isDirectory(), Errno.ENOTDIR);
    must(node.children.isEmpty(), Errno.ENOTEMPTY);
    dir(directory).children.remove(name);
    dir(directory).links--;
    drop(node);
  }

  private void drop(Node node) {
    node.links = node.isDirectory() ? 0 : node.links - 1;
    if (node.links == 0 && recovering) {
      node.opens.put(0L, 1);
    }
    reap(node);
  }

  private void reap(Node node) {
    if (node.links == 0 && node.opens.isEmpty()) {
      nodes.remove(node.number);
      if (node.type == FileType.REGULAR) {
        intents.add("REMOVE " + node.number + " 0");
      }
    }
  }

  private boolean isAbove(Node top, Node at) {
    return top.number == at.number || (at.number != 1 && isAbove(top, nodes.get(at.parent)));
  }

  void rename(Caller who, long from, String name, long to, String newName, int flags) {
    Node source = lookupOrNull(who, from, name);
    Node target = lookupOrNull(who, to, newName);
    must(source != null, Errno.ENOENT);
    must(target == null || flags != 1, Errno.EEXIST);
    must(target != null || flags != 2, Errno.ENOENT);
    must(!source.isDirectory() || !isAbove(source, dir(to)), Errno.EINVAL);
    must(target == null || !target.isDirectory() || !isAbove(target, dir(from)), flags == 2 ? Errno.EINVAL : Errno.ENOTEMPTY);
    if (source == target) {
      return;
    }
    mayTake(who, dir(from), source);
    if (target == null) {
      mayAdd(who, dir(to));
    } else {
      mayTake(who, dir(to), target);
    }
    if (flags != 2 && target != null) {
      must(!source.isDirectory() || target.isDirectory(), Errno.ENOTDIR);
      must(source.isDirectory() || !target.isDirectory(), Errno.EISDIR);
    }
    must(from == to || !source.isDirectory() || may(who, source, 2), Errno.EACCES);
    must(from == to || flags != 2 || !target.isDirectory() || may(who, target, 2), Errno.EACCES);
    must(flags == 2 || target == null || target.children.isEmpty(), Errno.ENOTEMPTY);
    detach(dir(from), name, source);
    if (target != null) {
      detach(dir(to), newName, target);
    }
    attach(dir(to), newName, source);
    if (flags == 2) {
      attach(dir(from), name, target);
    } else if (target != null) {
      drop(target);
    }
  }

  private Node lookupOrNull(Caller who, long directory, String name) {
    Long found = search(who, directory).children.get(name);
    return found == null ? null : nodes.get(found);
  }

  private static void detach(Node dir, String name, Node node) {
    dir.children.remove(name);
    dir.links -= node.isDirectory() ? 1 : 0;
  }

  private static void attach(Node dir, String name, Node node) {
    dir.children.put(name, node.number);
    if (node.isDirectory()) {
      dir.links++;
      node.parent = dir.number;
    }
  }

  void chmod(Caller who, long number, int mode) {
    Node node = node(number);
    must(node.type != FileType.SYMLINK, Errno.ENOTSUP);
    must(who.uid() == 0 || who.uid() == node.uid, Errno.EPERM);
    node.mode = who.uid() == 0 || who.gid() == node.gid ? mode : mode & ~02000;
  }

  void chown(Caller who, long number, int uid) {
    Node node = node(number);
    must(who.uid() == 0 || (who.uid() == node.uid && uid == node.uid), Errno.EPERM);
    node.uid = uid;
    if (!node.isDirectory()) {
      clearSetIds(node);
    }
  }

  private static void clearSetIds(Node node) {
    node.mode &= (node.mode & 010) != 0 ? ~06000 : ~04000;
  }

  void truncate(Caller who, long number, long size) {
    Node node = node(number);
    must(!node.isDirectory(), Errno.EISDIR);
    must(node.type == FileType.REGULAR, Errno.EINVAL);
    must(may(who, node, 2), Errno.EACCES);
    node.size = size;
    if (who.uid() != 0) {
      clearSetIds(node);
    }
    intents.add("TRUNCATE " + number + " " + size);
  }

  void open(Caller who, long session, long number) {
    Node node = node(number);
    must(node.type != FileType.SYMLINK, Errno.ELOOP);
    must(may(who, node, 4), Errno.EACCES);
    node.opens.merge(session, 1, Integer::sum);
  }

  void close(long session, long number) {
    Node node = nodes.get(number);
    must(node != null && node.opens.containsKey(session), Errno.EBADF);
    node.opens.computeIfPresent(session, (key, count) -> count == 1 ? null : count - 1);
    reap(node);
  }

  void endSession(long session) {
    for (Node node : List.copyOf(nodes.values())) {
      if (node.opens.remove(session) != null) {
        reap(node);
      }
    }
  }

  void setxattr(long number, String name, String value, int flags) {
    Node node = node(number);
    must(node.type == FileType.REGULAR || node.isDirectory(), Errno.EPERM);
    must(flags != 1 || !node.xattrs.containsKey(name), Errno.EEXIST);
    must(flags != 2 || node.xattrs.containsKey(name), Errno.ENODATA);
    node.xattrs.put(name, value);
  }

  void removexattr(long number, String name) {
    Node node = node(number);
    must(node.type == FileType.REGULAR || node.isDirectory(), Errno.EPERM);
    must(node.xattrs.remove(name) != null, Errno.ENODATA);
  }

  /** Everything, as {@link Shown} shows a name space. */
  List<String> show() {
    List<String> lines = new ArrayList<>();
    show("", nodes.get(1L), lines);
    lines.add("inodes " + nodes.size() + ", orphans " + nodes.values().stream().filter(node -> node.links == 0).count());
    lines.addAll(intents);
    return lines;
  }

  private void show(String path, Node node, List<String> lines) {
    lines.add(path + " " + node.number + " " + node.type + " " + Integer.toOctalString(node.mode) + " " + node.uid + ":" + node.gid + " " + node.links
        + " " + (node.type == FileType.SYMLINK ? node.target.length() : node.size) + " " + node.target + " " + node.xattrs);
    for (Map.Entry<String, Long> child : node.children.entrySet()) {
      show(path + "/" + child.getKey(), nodes.get(child.getValue()), lines);
    }
  }
}

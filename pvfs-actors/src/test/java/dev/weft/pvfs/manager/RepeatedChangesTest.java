package dev.weft.pvfs.manager;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.RoleContext;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Waits;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.meta.MetaClient;
import dev.weft.pvfs.store.RocksSettings;
import dev.weft.pvfs.store.RocksStore;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A manager on a real disk dies behind the commit of a change and before its answer. Its client asks the next one again, and gets the answer that the first
 * one owed it.
 */
@Tag("actor")
@Timeout(180)
class RepeatedChangesTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final String SERVICE = "pvfs-manager";
  private static final FileSystemLabel LABEL = FileSystemLabel.random(1);
  private static final int BOTH = 3;

  /** Daemons that do at once what they are asked to. */
  private static final class QuickEffects implements Effects {
    private final List<Intent> begun;

    QuickEffects(List<Intent> begun) {
      this.begun = begun;
    }

    @Override
    public boolean begin(Intent intent, Listener listener) {
      begun.add(intent);
      listener.done(intent.id());
      return true;
    }

    @Override
    public void close() {}
  }

  @TempDir private Path directory;
  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString(
      "weft.hca.pin-memory = false\nweft.pvfs.client.reconnect = 20 ms\nweft.pvfs.manager.store.reserve = 1 MiB"));
  private final AtomicBoolean dies = new AtomicBoolean();
  private final List<Intent> begun = new CopyOnWriteArrayList<>();
  private Manager manager;
  private MetaClient client;
  private MetaClient other;

  @BeforeEach
  void start() {
    startManager();
    client = connect("client");
    other = connect("other");
  }

  @AfterEach
  void close() {
    fabric.close();
  }

  private MetaClient connect(String name) {
    return MetaClient.start(fabric, fabric.addNode(name), name, new DaemonAddress("manager", SERVICE), fabric.config());
  }

  private void startManager() {
    Node node = fabric.addNode("manager");
    RocksSettings settings = RocksSettings.from(fabric.config());
    KeptNameSpace kept = KeptNameSpace.open(() -> RocksStore.open(directory, settings), LABEL, 1, StripingWish.NONE, System::nanoTime, System::nanoTime);
    NameSpaceHandler handler = new NameSpaceHandler(kept, List.of("io pvfs-io"), System::nanoTime, 60_000_000_000L, new QuickEffects(begun));
    manager = Manager.start(node, SERVICE, ManagerSettings.from(fabric.config()), RoleContext.BLOCKING, Runnable::run, mortal(handler));
  }

  /** Whose manager ends behind the commit of something that was asked for since {@link #dies} says so. */
  private MetadataHandler mortal(NameSpaceHandler handler) {
    AtomicBoolean hasWork = new AtomicBoolean();
    return (MetadataHandler) Proxy.newProxyInstance(MetadataHandler.class.getClassLoader(), new Class<?>[] {MetadataHandler.class},
        (_, method, arguments) -> {
          Object value = call(handler, method, arguments);
          if (dies.get() && arguments != null && Stream.of(arguments).anyMatch(MetaRequest.class::isInstance)) {
            hasWork.set(true);
          }
          if (method.getName().equals("commit") && hasWork.get() && dies.getAndSet(false)) {
            assertEquals(Errno.OK, value);
            throw new IllegalStateException("the manager is killed, as it was told to");
          }
          return value;
        });
  }

  private static Object call(NameSpaceHandler handler, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(handler, arguments);
    } catch (InvocationTargetException failed) {
      throw failed.getCause();
    }
  }

  private static MetaRequest request(MetaOp op, long inode, String name, long... numbers) {
    return MetaRequest.of(op, Caller.ROOT, inode, numbers).named(name);
  }

  private static MetaReply ok(MetaReply reply) {
    assertEquals("OK", Errno.name(reply.errno()));
    return reply;
  }

  private int errno(MetaRequest request) {
    return client.ask(request).errno();
  }

  /** The answer to a change whose manager is killed when it has done that. */
  private MetaReply askOneThatDies(MetaRequest request) {
    CompletableFuture<MetaReply> answer = new CompletableFuture<>();
    dies.set(true);
    assertTrue(client.tryAsk(request, answer::complete));
    fabric.await(manager.stopped().toCompletableFuture(), PATIENCE);
    assertTrue(!answer.isDone(), "nobody was answered");
    fabric.closeNode("manager");
    startManager();
    return fabric.await(answer, PATIENCE);
  }

  private long repeated() {
    ManagerSnapshot state = Waits.ask(fabric, manager::inspect);
    return state.answersRepeated();
  }

  private long create(String name) {
    return ok(client.ask(request(MetaOp.CREATE, Inode.ROOT, name, 0644, 1, -1, 0, 0, 0))).attributes().inode();
  }

  private static MetaRequest cut(long inode, long bytes) {
    return MetaRequest.of(MetaOp.SETATTR, Caller.ROOT, inode, MetaRequest.SET_BYTES, 0, 0, 0, bytes, 0, 0);
  }

  @Test
  void shouldMakeADirectoryOnce() {
    long made = ok(askOneThatDies(request(MetaOp.MKDIR, Inode.ROOT, "d", 0755))).attributes().inode();
    assertEquals(made, ok(client.ask(request(MetaOp.LOOKUP, Inode.ROOT, "d"))).attributes().inode());
    assertEquals(Errno.EEXIST, errno(request(MetaOp.MKDIR, Inode.ROOT, "d", 0755)));
    assertEquals(1, repeated());
  }

  @Test
  void shouldMakeAFileOnceAndHaveItOpen() {
    MetaReply made = ok(askOneThatDies(request(MetaOp.CREATE, Inode.ROOT, "f", 0644, 1, -1, 0, 0, BOTH)));
    long file = made.attributes().inode();
    assertTrue(made.grant() != null, "it may use it");
    ok(other.ask(request(MetaOp.UNLINK, Inode.ROOT, "f")));
    ok(client.ask(MetaRequest.of(MetaOp.RENEW, Caller.ROOT, file)));
    ok(client.ask(MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, file, -1, 1, 0)));
    assertEquals(Errno.EBADF, errno(MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, file, -1, 1, 0)), "it had it open once");
  }

  @Test
  void shouldRenameOnce() {
    long file = create("a");
    ok(askOneThatDies(request(MetaOp.RENAME, Inode.ROOT, "a", 0).withOther(Inode.ROOT).withValue("b".getBytes(StandardCharsets.UTF_8))));
    assertEquals(file, ok(client.ask(request(MetaOp.LOOKUP, Inode.ROOT, "b"))).attributes().inode());
    assertEquals(Errno.ENOENT, errno(request(MetaOp.LOOKUP, Inode.ROOT, "a")));
  }

  /** A name that somebody else has given meanwhile is not taken away. */
  @Test
  void shouldUnlinkOnce() {
    create("f");
    ok(askOneThatDies(request(MetaOp.UNLINK, Inode.ROOT, "f")));
    assertEquals(Errno.ENOENT, errno(request(MetaOp.LOOKUP, Inode.ROOT, "f")));
    create("f");
    ok(client.ask(request(MetaOp.LOOKUP, Inode.ROOT, "f")));
    assertEquals(1, repeated());
  }

  @Test
  void shouldLinkOnce() {
    long file = create("f");
    assertEquals(2, ok(askOneThatDies(request(MetaOp.LINK, Inode.ROOT, "g").withOther(file))).attributes().links());
    assertEquals(2, ok(client.ask(MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, file))).attributes().links());
  }

  @Test
  void shouldRemoveADirectoryAndSetAnAttributeOnce() {
    ok(client.ask(request(MetaOp.MKDIR, Inode.ROOT, "d", 0755)));
    ok(askOneThatDies(request(MetaOp.RMDIR, Inode.ROOT, "d")));
    long file = create("f");
    ok(askOneThatDies(request(MetaOp.SETXATTR, file, "user.a", NameSpace.XATTR_CREATE).withValue(new byte[] {1})));
    assertArrayEquals(new byte[] {1}, ok(client.ask(request(MetaOp.GETXATTR, file, "user.a"))).value());
    ok(askOneThatDies(request(MetaOp.REMOVEXATTR, file, "user.a")));
    assertEquals(1, repeated());
  }

  @Test
  void shouldSetAttributesOnce() {
    long file = create("f");
    MetaReply set = ok(askOneThatDies(MetaRequest.of(MetaOp.SETATTR, Caller.ROOT, file, MetaRequest.SET_MODE, 0600)));
    assertEquals(0600, set.attributes().mode() & 07777);
    assertEquals(1, repeated());
  }

  /** Otherwise what was written behind the first cut would go by the second. */
  @Test
  void shouldCutAFileOnce() {
    long file = create("f");
    assertEquals(100, ok(askOneThatDies(cut(file, 100))).attributes().bytes());
    assertEquals(List.of(file), begun.stream().map(Intent::inode).toList());
    ok(client.ask(cut(file, 50)));
    assertEquals(List.of(100L, 50L), begun.stream().map(Intent::sizeBytes).toList());
    assertNotEquals(begun.getFirst().id(), begun.getLast().id());
  }

  /** All of one commit, in slots of their own. */
  @Test
  void shouldAnswerAllThatWereUnderWay() {
    List<Integer> errnos = new CopyOnWriteArrayList<>();
    MetaReply first = ok(askOneThatDies(request(MetaOp.MKDIR, Inode.ROOT, "first", 0755)));
    dies.set(true);
    for (int i = 0; i < 20; i++) {
      assertTrue(client.tryAsk(request(MetaOp.MKDIR, Inode.ROOT, "d" + i, 0755), reply -> errnos.add(reply.errno())));
    }
    fabric.await(manager.stopped().toCompletableFuture(), PATIENCE);
    fabric.closeNode("manager");
    startManager();
    assertTrue(fabric.await(() -> errnos.size() == 20, PATIENCE));
    assertEquals(List.of(Errno.OK), errnos.stream().distinct().toList());
    assertEquals(first.attributes().inode(), ok(client.ask(request(MetaOp.LOOKUP, Inode.ROOT, "first"))).attributes().inode());
    assertTrue(repeated() >= 1);
  }
}

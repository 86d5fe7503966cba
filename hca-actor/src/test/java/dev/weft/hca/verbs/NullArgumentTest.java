package dev.weft.hca.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.cm.ConnectionListener;
import dev.weft.hca.cm.ConnectionManager;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.cm.DatagramObserver;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Every public method of the verbs and of the connection manager, with null in the place of each argument that must be there. */
@Tag("simulation")
class NullArgumentTest {
  /** Where null has a meaning, which the Javadoc says. */
  private static final Set<String> NULLABLE = Set.of(
      "Hca.observeAtomics observer", "Hca.observeAccesses observer", "Hca.armAsyncEvents handler", "Hca.createCq handler",
      "Hca.allocParentDomain allocator", "Hca.reregMr pd", "Hca.reregMr segment", "CompletionQueue.watch newWatcher",
      "QpInitAttr.withSrq shared", "ConnectionManager.connect privateData", "ConnectionRequest.accept privateData",
      "ConnectionRequest.reject privateData", "ConnectionManager.connect context", "ConnectionRequest.accept context");
  /** What fabrics and roles call, not consumers. */
  private static final Set<String> PLUMBING = Set.of("Hca.close", "Hca.offerWriteWatches");

  private final VirtualFabric fabric = VirtualFabric.create(1, LinkFaults.NONE);
  private final Node node = fabric.addNode("a");
  private final Map<Class<?>, Object> values = new LinkedHashMap<>();
  private final List<String> wrong = new ArrayList<>();
  private int tried;

  @BeforeEach
  void make() {
    Hca hca = node.hca();
    ProtectionDomain pd = hca.allocPd();
    CompletionQueue cq = hca.createCq(4);
    QueuePair qp = hca.createQp(pd, QpInitAttr.of(cq, 4));
    MemorySegment memory = hca.allocMemory(Arena.ofAuto(), 4096);
    MemoryRegion mr = hca.regMr(pd, memory, Access.ALL);
    MemoryWindow window = hca.allocMw(pd, MemoryWindow.Type.TYPE_1);
    List<Object> all = List.of(hca, hca.device(), node.cm(), pd, cq, qp, memory, mr, new WorkRequest().send(), new ReceiveRequest().receive(1),
        new WorkCompletion(), new WorkCompletion[0], QpAttr.init(0), QpInitAttr.of(cq, 4), new MrInitAttr(), hca.allocDm(64),
        hca.allocBuffer(pd, 64), window, new MwBind(window, 1, mr, 0, 0, 0), hca.createCounter(), hca.createSrq(pd, new SrqAttr(1, 1, 0)),
        hca.allocParentDomain(pd, null), hca.createAh(pd, 1, 0), new SrqAttr(1, 1, 0), ConnectionOptions.DEFAULT, "name", new byte[0],
        Arena.ofAuto(), Gid.ofLid(1), hca.actor(), List.of(mr), Set.of(CompletionCounter.Operation.SEND));
    all.forEach(value -> values.put(value.getClass(), value));
    for (Class<?> callback : List.of(ConnectionListener.class, ConnectionObserver.class, DatagramObserver.class, AtomicObserver.class,
        AccessObserver.class, CompletionHandler.class, QueueAllocator.class, Supplier.class)) {
      values.put(callback, inert(callback));
    }
    values.put(EventCounters.class, new EventCounters(1, 1, hca.contexts()));
  }

  @AfterEach
  void close() {
    fabric.close();
  }

  @Test
  void shouldNameTheArgumentThatIsNullAndChangeNothing() throws Exception {
    for (Class<?> type : List.of(Hca.class, HcaDevice.class, QueuePair.class, CompletionQueue.class, SharedReceiveQueue.class, WorkRequest.class,
        ReceiveRequest.class, QpAttr.class, QpInitAttr.class, MrInitAttr.class, DeviceMemory.class, ConnectionManager.class)) {
      tryAll(type, value(type));
    }
    tryAll(ConnectionRequest.class, incoming());
    assertTrue(tried > 90, () -> "only " + tried + " calls were tried");
    assertEquals(List.of(), wrong);
  }

  private void tryAll(Class<?> type, Object target) throws IllegalAccessException {
    for (Method method : type.getDeclaredMethods()) {
      String name = type.getSimpleName() + "." + method.getName();
      if (!Modifier.isPublic(method.getModifiers()) || method.isSynthetic() || method.getName().equals("equals") || PLUMBING.contains(name)) {
        continue;
      }
      Parameter[] parameters = method.getParameters();
      for (int i = 0; i < parameters.length; i++) {
        if (!parameters[i].getType().isPrimitive() && !NULLABLE.contains(name + " " + parameters[i].getName())) {
          tryNull(name, method, target, i);
        }
      }
    }
  }

  private void tryNull(String name, Method method, Object target, int index) throws IllegalAccessException {
    Parameter[] parameters = method.getParameters();
    Object[] arguments = new Object[parameters.length];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = i == index ? null : value(parameters[i].getType());
    }
    String call = name + " " + parameters[index].getName();
    HcaSnapshot before = node.hca().inspect();
    tried++;
    try {
      method.invoke(target, arguments);
      wrong.add(call + " was accepted");
    } catch (InvocationTargetException e) {
      Throwable refusal = e.getCause();
      boolean isRefusal = refusal instanceof NullPointerException || refusal instanceof VerbsException;
      if (!isRefusal || !String.valueOf(refusal.getMessage()).matches("(EINVAL: )?" + parameters[index].getName() + " is null\\b.*")) {
        wrong.add(call + " -> " + refusal);
      }
    }
    if (!before.equals(node.hca().inspect())) {
      wrong.add(call + " changed " + before + " to " + node.hca().inspect());
    }
  }

  /** Something of that type that the verbs take. */
  private Object value(Class<?> type) {
    if (type.isPrimitive()) {
      return type == boolean.class ? (Object) false : type == long.class ? (Object) 1L : (Object) 1;
    }
    if (type.isEnum()) {
      return type.getEnumConstants()[0];
    }
    return values.values().stream().filter(type::isInstance).findFirst()
        .orElseThrow(() -> new AssertionError("this test has no value for " + type));
  }

  /** A connection request that waits for its answer. */
  private ConnectionRequest incoming() {
    List<ConnectionRequest> requests = new ArrayList<>();
    node.cm().listen("echo", requests::add);
    QueuePair qp = node.hca().createQp((ProtectionDomain) value(ProtectionDomain.class), (QpInitAttr) value(QpInitAttr.class));
    node.cm().connect("a", "echo", qp, ConnectionOptions.DEFAULT, null, (ConnectionObserver) value(ConnectionObserver.class));
    assertTrue(fabric.system().runUntil(() -> !requests.isEmpty(), 1_000_000_000));
    return requests.getFirst();
  }

  private static <T> T inert(Class<T> type) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> null));
  }
}

package dev.weft.fabric.dispatch;

import akka.actor.typed.ActorRef;
import akka.actor.typed.ActorSystem;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import com.typesafe.config.ConfigFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/** Cost of a hop between two hardware actors and of a request by a helping thread. A main; nothing is asserted. */
final class HopBenchmark {
  record Ball(ActorRef<Ball> from, int left, CountDownLatch done) {}

  record Request(AtomicLong reply, long number) {}

  private HopBenchmark() {}

  /** Prints five rounds. */
  public static void main(String[] args) throws Exception {
    ActorSystem<Void> system =
        ActorSystem.create(
            Behaviors.empty(), "hops", ConfigFactory.parseString("akka.loglevel=ERROR").withFallback(ConfigFactory.load()));
    HardwareDispatcher dispatcher = HardwareDispatcher.of(system);
    ActorRef<Ball> a = hardware(system, player(), "a");
    ActorRef<Ball> b = hardware(system, player(), "b");
    ActorRef<Request> server = hardware(system, server(), "server");
    for (int round = 0; round < 5; round++) {
      hops(a, b, 5_000_000);
      requests(dispatcher, server, 300_000, true);
      requests(dispatcher, server, 300_000, false);
      pausedRequests(dispatcher, server, 2_000);
    }
    System.out.println(dispatcher.stats());
    system.terminate();
  }

  private static <T> ActorRef<T> hardware(ActorSystem<Void> system, Behavior<T> behavior, String name) {
    return system.systemActorOf(behavior, name, HardwareDispatcher.SELECTOR);
  }

  private static void hops(ActorRef<Ball> a, ActorRef<Ball> b, int count) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    long startNs = System.nanoTime();
    a.tell(new Ball(b, count, done));
    done.await();
    System.out.printf("hop %.4f us%n", (System.nanoTime() - startNs) / 1000.0 / count);
  }

  private static Behavior<Ball> player() {
    return Behaviors.setup(
        context ->
            Behaviors.receiveMessage(
                ball -> {
                  if (ball.left == 0) {
                    ball.done.countDown();
                  } else {
                    ball.from.tell(new Ball(context.getSelf(), ball.left - 1, ball.done));
                  }
                  return Behaviors.same();
                }));
  }

  private static Behavior<Request> server() {
    return Behaviors.receiveMessage(
        request -> {
          request.reply.set(request.number);
          return Behaviors.same();
        });
  }

  private static void requests(HardwareDispatcher dispatcher, ActorRef<Request> server, int count, boolean help) {
    long startNs = System.nanoTime();
    AtomicLong reply = new AtomicLong();
    for (int i = 1; i <= count; i++) {
      one(dispatcher, server, reply, i, help);
    }
    System.out.printf("%s %.3f us%n", help ? "request with help" : "request, yielding", (System.nanoTime() - startNs) / 1000.0 / count);
  }

  private static void pausedRequests(HardwareDispatcher dispatcher, ActorRef<Request> server, int count) {
    AtomicLong reply = new AtomicLong();
    long ns = 0;
    for (int i = 1; i <= count; i++) {
      java.util.concurrent.locks.LockSupport.parkNanos(200_000);
      long startNs = System.nanoTime();
      one(dispatcher, server, reply, i, true);
      ns += System.nanoTime() - startNs;
    }
    System.out.printf("request with help after a pause %.3f us%n", ns / 1000.0 / count);
  }

  private static void one(HardwareDispatcher dispatcher, ActorRef<Request> server, AtomicLong reply, long i, boolean help) {
    if (!help) {
      server.tell(new Request(reply, i));
      while (reply.get() != i) {
        Thread.yield();
      }
      return;
    }
    try (var _ = dispatcher.deferWake()) {
      server.tell(new Request(reply, i));
      dispatcher.help(() -> reply.get() == i, 1_000_000_000L);
    }
  }
}

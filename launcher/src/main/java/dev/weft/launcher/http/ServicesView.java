package dev.weft.launcher.http;

import dev.weft.service.Alarm;
import dev.weft.service.Running;
import dev.weft.service.StatusTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The state of the services of a JVM. Each service is asked separately. A service that throws, does not answer or is slow causes an alarm with
 * its name, and does not hide the others. Any thread; never blocks.
 */
final class ServicesView {
  private final Map<String, Running> services;

  ServicesView(Map<String, Running> services) {
    this.services = services;
  }

  /** Tables, and alarms for the services that returned none. */
  record Told(List<StatusTable> tables, List<Alarm> alarms) {}

  /** Returns the result of {@code call}, or of {@code otherwise} for its failure. Only OutOfMemoryError is thrown on. */
  static <T> T guarded(Supplier<T> call, Function<Throwable, T> otherwise) {
    try {
      return call.get();
    } catch (OutOfMemoryError e) {
      throw e;
    } catch (RuntimeException | Error e) {
      return otherwise.apply(e);
    }
  }

  private static Alarm failed(String service, String what, Throwable failure) {
    return Alarm.error("SERVICE_FAILED", service, "the service " + service + " could not report its " + what + ": " + failure);
  }

  /** Returns the alarms of all services. */
  List<Alarm> alarms() {
    List<Alarm> found = new ArrayList<>();
    services.forEach((name, service) -> found.addAll(guarded(() -> List.copyOf(service.alarms()), failure -> List.of(failed(name, "alarms", failure)))));
    return found;
  }

  /** Returns why services cannot do their task; empty if all can. */
  String problem() {
    return services.entrySet().stream().map(service -> guarded(() -> service.getValue().problem().orElse(""),
            failure -> "the service " + service.getKey() + " could not report whether it is ready: " + failure))
        .filter(problem -> !problem.isEmpty()).collect(Collectors.joining("; "));
  }

  /** Returns the tables of all services. Those of a service that does not answer within {@code timeout} are missing. */
  CompletableFuture<Told> tables(Duration timeout) {
    Map<String, CompletableFuture<Told>> asked = new LinkedHashMap<>();
    services.forEach((name, service) -> asked.put(name, ask(name, service, timeout)));
    return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new)).thenApply(all -> {
      List<StatusTable> tables = new ArrayList<>();
      List<Alarm> alarms = new ArrayList<>();
      for (CompletableFuture<Told> one : asked.values()) {
        tables.addAll(one.join().tables());
        alarms.addAll(one.join().alarms());
      }
      return new Told(tables, alarms);
    });
  }

  private static CompletableFuture<Told> ask(String name, Running service, Duration timeout) {
    CompletionStage<List<StatusTable>> answer = guarded(service::tables, CompletableFuture::failedFuture);
    if (answer == null) {
      answer = CompletableFuture.failedFuture(new NullPointerException("no stage"));
    }
    return answer.toCompletableFuture().copy().orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS).thenApply(List::copyOf).handle((tables, failure) -> {
      if (failure == null) {
        return new Told(tables, List.of());
      }
      Throwable cause = failure.getCause() == null ? failure : failure.getCause();
      return new Told(List.of(), List.of(cause instanceof TimeoutException
          ? Alarm.error("SERVICE_SILENT", name, "the service " + name + " did not report its state within " + timeout.toMillis() + " ms")
          : failed(name, "rows", cause)));
    });
  }
}

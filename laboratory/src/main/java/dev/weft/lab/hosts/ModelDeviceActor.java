package dev.weft.lab.hosts;

import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.time.FabricContext;
import java.util.ArrayList;
import java.util.List;

/** A device that serves one request, or several merged into one, at a time. Its queue is bounded by the device's buffers. */
final class ModelDeviceActor {
  /** What the device can be told. */
  sealed interface Command {}

  /** A request; {@code done} moves its bytes and completes it. */
  record Submit(DeviceModel.Io io, Runnable done) implements Command {}

  private enum Alarm implements Command {
    SERVED
  }

  private final ActorContext<Command> context;
  private final FabricContext fabric;
  private final DeviceModel model;
  private final List<DeviceModel.Io> waiting = new ArrayList<>();
  private final List<Runnable> waitingDone = new ArrayList<>();
  private final List<Runnable> inService = new ArrayList<>();

  private ModelDeviceActor(ActorContext<Command> context, FabricContext fabric, DeviceModel model) {
    this.context = context;
    this.fabric = fabric;
    this.model = model;
  }

  static Behavior<Command> create(FabricContext fabric, DeviceModel model) {
    return Behaviors.setup(context -> {
      ModelDeviceActor actor = new ModelDeviceActor(context, fabric, model);
      return Behaviors.receiveMessage(actor::onMessage);
    });
  }

  private Behavior<Command> onMessage(Command message) {
    switch (message) {
      case Submit submit -> onSubmit(submit);
      case Alarm alarm -> onServed();
    }
    return Behaviors.same();
  }

  private void onSubmit(Submit submit) {
    waiting.add(submit.io());
    waitingDone.add(submit.done());
    if (inService.isEmpty()) {
      serve();
    }
  }

  private void onServed() {
    List<Runnable> ended = List.copyOf(inService);
    inService.clear();
    if (!waiting.isEmpty()) {
      serve();
    }
    ended.forEach(Runnable::run);
  }

  private void serve() {
    DeviceModel.Io io = take(model.next(waiting));
    for (int i = 0; i < waiting.size(); ) {
      DeviceModel.Io other = waiting.get(i);
      if (model.merges(io, other)) {
        take(i);
        io = new DeviceModel.Io(io.isWrite(), io.offset(), io.length() + other.length());
        i = 0;
      } else {
        i++;
      }
    }
    long nowNs = fabric.clock().nowNs();
    fabric.timers().at(nowNs + model.serviceNs(io, nowNs), context.getSelf(), Alarm.SERVED);
  }

  private DeviceModel.Io take(int index) {
    inService.add(waitingDone.remove(index));
    return waiting.remove(index);
  }
}

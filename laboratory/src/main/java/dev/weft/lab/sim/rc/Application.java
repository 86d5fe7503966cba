package dev.weft.lab.sim.rc;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.time.FabricContext;
import dev.weft.lab.kit.Draw;

/** The consumer of one node's HCA: runs the steps of its ends and polls the completion queues, with pauses drawn from the seed. */
final class Application {
  sealed interface Command {}

  record Step(SimEnd end) implements Command {}

  record Flow(SideFlow flow) implements Command {}

  record Poll(SimCq cq) implements Command {}

  private final SimRun run;
  private final FabricContext fabric;
  private final Draw draw;
  private final ActorRef<Command> self;

  private Application(SimRun run, FabricContext fabric, Draw draw, ActorRef<Command> self) {
    this.run = run;
    this.fabric = fabric;
    this.draw = draw;
    this.self = self;
  }

  static Behavior<Command> create(SimRun run, FabricContext fabric, Draw draw) {
    return Behaviors.setup(context -> {
      Application application = new Application(run, fabric, draw, context.getSelf());
      return Behaviors.receiveMessage(application::onMessage);
    });
  }

  private Behavior<Command> onMessage(Command command) {
    switch (command) {
      case Step step -> onStep(step);
      case Flow flow -> onFlow(flow);
      case Poll poll -> onPoll(poll);
    }
    return Behaviors.same();
  }

  private void onStep(Step step) {
    run.pollEvents(step.end().node);
    long pauseNs = step.end().step();
    if (pauseNs >= 0 && !run.isOver()) {
      fabric.timers().at(fabric.clock().nowNs() + Math.max(1, pauseNs), self, step);
    }
  }

  private void onFlow(Flow flow) {
    run.pollEvents(flow.flow().home());
    flow.flow().step();
    if (!run.isOver()) {
      fabric.timers().at(fabric.clock().nowNs() + flow.flow().pauseNs(), self, flow);
    }
  }

  private void onPoll(Poll poll) {
    poll.cq().drain();
    if (!run.isOver()) {
      fabric.timers().at(fabric.clock().nowNs() + draw.between(100, poll.cq().pollPauseMaxNs), self, poll);
    }
  }
}

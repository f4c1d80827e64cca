"use strict";

const fs = require("fs");

/** Why a task isn't run. */
class TaskError extends Error {
  constructor(name, cause) {
    super(`task ${name} failed`);
    this.name = name;
    this.cause = cause;
  }
}

/** A task with its interval. */
class Task {
  constructor(name, every, work) {
    this.name = name;
    this.every = every;
    this.work = work;
    this.last = 0;
  }

  isDue(now) {
    return now - this.last >= this.every;
  }

  run(now) {
    this.last = now;
    return this.work(now);
  }
}

class RetryingTask extends Task {
  run(now) {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const result = tryOnce(this, now);
      if (result.ok) {
        return result.value;
      }
    }
    throw new TaskError(this.name);
  }
}

class Scheduler {
  constructor() {
    this.tasks = [];
  }

  add(task) {
    this.tasks.push(task);
    return this;
  }

  remove(name) {
    this.tasks = this.tasks.filter((task) => task.name !== name);
  }

  tick(now) {
    const due = this.tasks.filter((task) => task.isDue(now));
    return due.map((task) => task.run(now));
  }
}

function tryOnce(task, now) {
  try {
    return { ok: true, value: task.work(now) };
  } catch (error) {
    return { ok: false, error };
  }
}

function readConfig(path) {
  return JSON.parse(fs.readFileSync(path, "utf8"));
}

function fromConfig(config) {
  const scheduler = new Scheduler();
  for (const entry of config.tasks) {
    scheduler.add(new Task(entry.name, entry.every, work(entry)));
  }
  return scheduler;
}

function work(entry) {
  return function () {
    return entry.value;
  };
}

function main() {
  const scheduler = fromConfig(readConfig("tasks.json"));
  setInterval(() => scheduler.tick(Date.now()), 1000);
}

module.exports = { Scheduler, Task, RetryingTask, TaskError, main };

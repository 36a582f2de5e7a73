variable "name" {
  description = "Name of the instance."
  type        = string
  nullable    = false

  validation {
    condition     = length(trimspace(var.name)) > 0 && length(var.name) <= 100
    error_message = "The name has 1 to 100 characters."
  }
}

variable "plan" {
  description = "Plan of the instance. The data source hosting_plans lists the plans. A paid plan is created once its checkout is finished."
  type        = string
  default     = "free"
  nullable    = false
}

variable "region" {
  description = "Region of the instance. The data source hosting_locations lists the regions. Another region means another instance, without the data."
  type        = string
  nullable    = false
}

variable "tags" {
  description = "Tags of the instance."
  type        = set(string)
  default     = []
  nullable    = false
}

variable "app" {
  description = "The app: its repository as owner/repo, which the account's code-hosting integration must be able to see, and how it is run."
  type = object({
    repo        = string
    name        = optional(string, "web")
    branch      = optional(string, "main")
    port        = optional(number, 3000)
    health_path = optional(string, "/healthz")
    memory_mb   = optional(number)
    env         = optional(map(string), {})
  })
  nullable = false

  validation {
    condition     = can(regex("^[^/[:space:]]+/[^/[:space:]]+$", var.app.repo))
    error_message = "The repository must be given as owner/repo."
  }

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{0,39}$", var.app.name))
    error_message = "The app's name has up to 40 lower case letters, digits and hyphens, the first of them a letter."
  }

  validation {
    condition     = startswith(var.app.health_path, "/")
    error_message = "The health path begins with a slash."
  }
}

variable "secret_env" {
  description = "Build variables of the app that are secret. They are kept neither in the state nor in a plan."
  type        = map(string)
  default     = {}
  sensitive   = true
  ephemeral   = true
  nullable    = false
}

variable "secret_env_version" {
  description = "Raise it to send the secret variables again. Null where there are none."
  type        = number
  default     = null
}

variable "databases" {
  description = "Databases beside the instance's own, each with its Postgres extensions."
  type        = map(set(string))
  default     = {}
  nullable    = false

  validation {
    condition     = alltrue([for name in keys(var.databases) : can(regex("^[a-z][a-z0-9_]{0,62}$", name))])
    error_message = "A database's name has up to 63 lower case letters, digits and underscores, the first of them a letter."
  }
}

variable "allowed_cidrs" {
  description = "Who may connect to the instance's ports, as CIDR blocks or bare addresses. The default lets nobody in from outside; the app does not need it."
  type        = set(string)
  default     = ["127.0.0.1/32"]
  nullable    = false

  validation {
    condition     = length(var.allowed_cidrs) > 0 && length(setintersection(var.allowed_cidrs, ["0.0.0.0/0", "::/0"])) == 0
    error_message = "This module opens no instance to the internet: name the networks that may connect."
  }
}

variable "site_url" {
  description = "Where visitors come back to after they have signed in, such as a domain of your own. Without it, that is the URL that the service gives the app."
  type        = string
  default     = null

  validation {
    condition     = var.site_url == null || can(regex("^https://[^/[:space:]]+$", var.site_url))
    error_message = "The site's URL begins with https:// and ends with its host."
  }
}

variable "webhook_url" {
  description = "Address that the service sends its events to, with https. Without it, there is no webhook endpoint. Each endpoint gets the events of the whole account, so one stack alone should have it."
  type        = string
  default     = null

  validation {
    condition     = var.webhook_url == null || can(regex("^https://[^/[:space:]]+", var.webhook_url))
    error_message = "The webhook URL must begin with https://."
  }
}

variable "deletion_protection" {
  description = "Whether the instance, the app and the databases are protected from being destroyed or replaced. Set it to false and apply before you destroy."
  type        = bool
  default     = true
  nullable    = false
}
